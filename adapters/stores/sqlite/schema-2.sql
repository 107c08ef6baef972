-- Layout 2 of a store file: what a file of layout 1 gets when a process of this version opens it first, and a new file
-- right after schema.sql.
--
-- The queue is ordered by `since`. A process of layout 1 that still has the file open writes rows without it: they come
-- first, and are never out of sight. For such a process the index records_attention stays.

ALTER TABLE records ADD COLUMN since INTEGER;
CREATE INDEX records_queue ON records (coalesce(since, 0), born, group_number) WHERE attention = 1;

-- Notable lines of a group, the newest 10,000: they outlive the records that they are about.
CREATE TABLE journal (
  group_number INTEGER NOT NULL,
  -- Counts the lines of the group.
  number INTEGER NOT NULL,
  at INTEGER NOT NULL,
  id TEXT NOT NULL,
  line TEXT NOT NULL,
  PRIMARY KEY (group_number, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX journal_time ON journal (at, group_number, number);
