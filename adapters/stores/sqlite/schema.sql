-- Layout 1 of a store file.
--
-- A record is small and changes in place; what is large or many (payload, history, holds) lives beside it under the
-- same number. `born` counts the records in order of birth: it is the key of the pages, so that a page never depends on
-- what changes while somebody turns it. Times are ms since 1970 on the file's clock (meta.time), which never goes back.
-- What later layouts add is in schema-2.sql. scripts/generate-sql.ts writes schema.gen.ts from these files and statements.sql.

-- One row: what the file is, and what a process needs to notice that it is not the file it was.
CREATE TABLE meta (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  namespace TEXT NOT NULL,
  -- Random, one per file.
  epoch TEXT NOT NULL,
  -- Transactions so far: falls only if the file was replaced by an older copy.
  writes INTEGER NOT NULL,
  -- The highest time ever written.
  time INTEGER NOT NULL,
  -- Last known loss of acknowledged writes; -1: none.
  loss_at INTEGER NOT NULL,
  -- SHA-256 of the secret beside the file, once there is one.
  secret_mark TEXT,
  -- Id of the secret behind digests and keys, once a guard has used the file.
  key_id TEXT
) STRICT;

CREATE TABLE groups (
  number INTEGER PRIMARY KEY,
  tag TEXT NOT NULL UNIQUE,
  tenant TEXT NOT NULL,
  server TEXT NOT NULL,
  tool TEXT NOT NULL
) STRICT;

-- How often a tool was suspended: the generation of all its groups.
CREATE TABLE generations (
  server TEXT NOT NULL,
  tool TEXT NOT NULL,
  generation INTEGER NOT NULL,
  PRIMARY KEY (server, tool)
) STRICT, WITHOUT ROWID;

CREATE TABLE suspensions (
  server TEXT NOT NULL,
  tool TEXT NOT NULL,
  reason TEXT NOT NULL,
  actor TEXT NOT NULL,
  at INTEGER NOT NULL,
  detail TEXT,
  PRIMARY KEY (server, tool)
) STRICT, WITHOUT ROWID;

CREATE TABLE records (
  born INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  group_number INTEGER NOT NULL,
  version INTEGER NOT NULL,
  at INTEGER NOT NULL,
  digest TEXT NOT NULL,
  -- Of the write that made this version.
  token TEXT NOT NULL,
  body TEXT NOT NULL,
  due INTEGER,
  attention INTEGER NOT NULL,
  expires_at INTEGER
) STRICT;
CREATE INDEX records_due ON records (due) WHERE due IS NOT NULL;
CREATE INDEX records_open ON records (born, group_number) WHERE due IS NOT NULL;
CREATE INDEX records_attention ON records (born, group_number) WHERE attention = 1;
CREATE INDEX records_expiry ON records (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE payloads (
  born INTEGER PRIMARY KEY,
  text TEXT NOT NULL,
  expires_at INTEGER
) STRICT;
CREATE INDEX payloads_expiry ON payloads (expires_at) WHERE expires_at IS NOT NULL;

-- Several records may own one entry.
CREATE TABLE holds (
  group_number INTEGER NOT NULL,
  entry TEXT NOT NULL,
  born INTEGER NOT NULL,
  PRIMARY KEY (group_number, entry, born)
) STRICT, WITHOUT ROWID;
CREATE INDEX holds_owner ON holds (born);

CREATE TABLE history (
  born INTEGER NOT NULL,
  version INTEGER NOT NULL,
  line_number INTEGER NOT NULL,
  at INTEGER NOT NULL,
  line TEXT NOT NULL,
  PRIMARY KEY (born, version, line_number)
) STRICT, WITHOUT ROWID;
