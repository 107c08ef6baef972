// Generated from schema*.sql and statements.sql by scripts/generate-sql.ts. Do not edit.

/** By layout: the first makes a file, each of the others brings one up from the layout before. */

export const LAYOUTS = [
  "CREATE TABLE meta ( one INTEGER PRIMARY KEY CHECK (one = 1), namespace TEXT NOT NULL, epoch TEXT NOT NULL, writes INTEGER NOT NULL, time INTEGER NOT NULL, loss_at INTEGER NOT NULL, secret_mark TEXT, key_id TEXT ) STRICT; CREATE TABLE groups ( number INTEGER PRIMARY KEY, tag TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL, server TEXT NOT NULL, tool TEXT NOT NULL ) STRICT; CREATE TABLE generations ( server TEXT NOT NULL, tool TEXT NOT NULL, generation INTEGER NOT NULL, PRIMARY KEY (server, tool) ) STRICT, WITHOUT ROWID; CREATE TABLE suspensions ( server TEXT NOT NULL, tool TEXT NOT NULL, reason TEXT NOT NULL, actor TEXT NOT NULL, at INTEGER NOT NULL, detail TEXT, PRIMARY KEY (server, tool) ) STRICT, WITHOUT ROWID; CREATE TABLE records ( born INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, group_number INTEGER NOT NULL, version INTEGER NOT NULL, at INTEGER NOT NULL, digest TEXT NOT NULL, token TEXT NOT NULL, body TEXT NOT NULL, due INTEGER, attention INTEGER NOT NULL, expires_at INTEGER ) STRICT; CREATE INDEX records_due ON records (due) WHERE due IS NOT NULL; CREATE INDEX records_open ON records (born, group_number) WHERE due IS NOT NULL; CREATE INDEX records_attention ON records (born, group_number) WHERE attention = 1; CREATE INDEX records_expiry ON records (expires_at) WHERE expires_at IS NOT NULL; CREATE TABLE payloads ( born INTEGER PRIMARY KEY, text TEXT NOT NULL, expires_at INTEGER ) STRICT; CREATE INDEX payloads_expiry ON payloads (expires_at) WHERE expires_at IS NOT NULL; CREATE TABLE holds ( group_number INTEGER NOT NULL, entry TEXT NOT NULL, born INTEGER NOT NULL, PRIMARY KEY (group_number, entry, born) ) STRICT, WITHOUT ROWID; CREATE INDEX holds_owner ON holds (born); CREATE TABLE history ( born INTEGER NOT NULL, version INTEGER NOT NULL, line_number INTEGER NOT NULL, at INTEGER NOT NULL, line TEXT NOT NULL, PRIMARY KEY (born, version, line_number) ) STRICT, WITHOUT ROWID;",
  "ALTER TABLE records ADD COLUMN since INTEGER; CREATE INDEX records_queue ON records (coalesce(since, 0), born, group_number) WHERE attention = 1; CREATE TABLE journal ( group_number INTEGER NOT NULL, number INTEGER NOT NULL, at INTEGER NOT NULL, id TEXT NOT NULL, line TEXT NOT NULL, PRIMARY KEY (group_number, number) ) STRICT, WITHOUT ROWID; CREATE INDEX journal_time ON journal (at, group_number, number);",
];

export const STATEMENTS = {
  readMeta:
    "SELECT namespace, epoch, writes, time, loss_at AS lossAt, secret_mark AS secretMark, key_id AS keyId FROM meta",
  createMeta:
    "INSERT INTO meta (one, namespace, epoch, writes, time, loss_at) VALUES (1, :namespace, :epoch, 0, :time, :lossAt)",
  writeMeta:
    "UPDATE meta SET writes = :writes, time = :time, loss_at = :lossAt",
  markSecret:
    "UPDATE meta SET secret_mark = :mark",
  bindKey:
    "UPDATE meta SET key_id = :keyId WHERE key_id IS NULL",
  findGroup:
    "SELECT number FROM groups WHERE tag = :tag",
  readGroup:
    "SELECT tag, tenant, server, tool FROM groups WHERE number = :number",
  addGroup:
    "INSERT INTO groups (tag, tenant, server, tool) VALUES (:tag, :tenant, :server, :tool)",
  readGeneration:
    "SELECT generation FROM generations WHERE server = :server AND tool = :tool",
  raiseGeneration:
    "INSERT INTO generations (server, tool, generation) VALUES (:server, :tool, 1) ON CONFLICT (server, tool) DO UPDATE SET generation = generation + 1",
  readSuspensions:
    "SELECT server, tool, reason, actor, at, detail FROM suspensions ORDER BY at, server, tool",
  findSuspension:
    "SELECT server, tool, reason, actor, at, detail FROM suspensions WHERE server = :server AND tool = :tool",
  putSuspension:
    "INSERT OR REPLACE INTO suspensions (server, tool, reason, actor, at, detail) VALUES (:server, :tool, :reason, :actor, :at, :detail)",
  removeSuspension:
    "DELETE FROM suspensions WHERE server = :server AND tool = :tool",
  findRecord:
    "SELECT * FROM records WHERE id = :id",
  readPayload:
    "SELECT text, expires_at FROM payloads WHERE born = :born",
  addRecord:
    "INSERT INTO records (id, group_number, version, at, digest, token, body, due, attention, since) VALUES (:id, :groupNumber, 1, :at, :digest, :token, :body, :due, :attention, :at)",
  replaceRecord:
    "UPDATE records SET version = :version, at = :at, token = :token, body = :body, due = :due, attention = :attention, expires_at = :expiresAt, since = CASE attention WHEN 1 THEN since ELSE :since END WHERE born = :born",
  putPayload:
    "INSERT INTO payloads (born, text, expires_at) VALUES (:born, :text, :expiresAt) ON CONFLICT (born) DO UPDATE SET text = excluded.text, expires_at = excluded.expires_at",
  endPayload:
    "UPDATE payloads SET expires_at = :expiresAt WHERE born = :born",
  removePayload:
    "DELETE FROM payloads WHERE born = :born",
  addHold:
    "INSERT INTO holds (group_number, entry, born) VALUES (:groupNumber, :entry, :born) ON CONFLICT DO NOTHING",
  removeHold:
    "DELETE FROM holds WHERE group_number = :groupNumber AND entry = :entry AND born = :born",
  findOwner:
    "SELECT r.* FROM holds h JOIN records r ON r.born = h.born WHERE h.group_number = :groupNumber AND h.entry = :entry AND (r.expires_at IS NULL OR r.expires_at > :now) ORDER BY h.born LIMIT 1",
  addHistory:
    "INSERT INTO history (born, version, line_number, at, line) VALUES (:born, :version, :lineNumber, :at, :line)",
  readHistory:
    "SELECT h.at, h.line FROM records r JOIN history h ON h.born = r.born WHERE r.id = :id AND (r.expires_at IS NULL OR r.expires_at > :now) ORDER BY h.version, h.line_number",
  readDue:
    "SELECT * FROM records INDEXED BY records_due WHERE due IS NOT NULL AND due <= :now AND (expires_at IS NULL OR expires_at > :now) ORDER BY due LIMIT :limit",
  listOpen:
    "SELECT * FROM records INDEXED BY records_open WHERE due IS NOT NULL AND born > :born AND (expires_at IS NULL OR expires_at > :now) ORDER BY born LIMIT :limit",
  listOpenOf:
    "SELECT * FROM records INDEXED BY records_open WHERE due IS NOT NULL AND born > :born AND (expires_at IS NULL OR expires_at > :now) AND group_number IN (SELECT number FROM groups WHERE server = coalesce(:server, server) AND tool = coalesce(:tool, tool)) ORDER BY born LIMIT :limit",
  listQueue:
    "SELECT * FROM records INDEXED BY records_queue WHERE attention = 1 AND coalesce(since, 0) >= :since AND (coalesce(since, 0), born) > (:since, :born) AND (expires_at IS NULL OR expires_at > :now) ORDER BY coalesce(since, 0), born LIMIT :limit",
  listQueueOf:
    "SELECT * FROM records INDEXED BY records_queue WHERE attention = 1 AND coalesce(since, 0) >= :since AND (coalesce(since, 0), born) > (:since, :born) AND (expires_at IS NULL OR expires_at > :now) AND group_number IN (SELECT number FROM groups WHERE server = coalesce(:server, server) AND tool = coalesce(:tool, tool)) ORDER BY coalesce(since, 0), born LIMIT :limit",
  listOpenNewest:
    "SELECT * FROM records INDEXED BY records_open WHERE due IS NOT NULL AND born < :born AND (expires_at IS NULL OR expires_at > :now) ORDER BY born DESC LIMIT :limit",
  listOpenNewestOf:
    "SELECT * FROM records INDEXED BY records_open WHERE due IS NOT NULL AND born < :born AND (expires_at IS NULL OR expires_at > :now) AND group_number IN (SELECT number FROM groups WHERE server = coalesce(:server, server) AND tool = coalesce(:tool, tool)) ORDER BY born DESC LIMIT :limit",
  listQueueNewest:
    "SELECT * FROM records INDEXED BY records_queue WHERE attention = 1 AND coalesce(since, 0) <= :since AND (coalesce(since, 0), born) < (:since, :born) AND (expires_at IS NULL OR expires_at > :now) ORDER BY coalesce(since, 0) DESC, born DESC LIMIT :limit",
  listQueueNewestOf:
    "SELECT * FROM records INDEXED BY records_queue WHERE attention = 1 AND coalesce(since, 0) <= :since AND (coalesce(since, 0), born) < (:since, :born) AND (expires_at IS NULL OR expires_at > :now) AND group_number IN (SELECT number FROM groups WHERE server = coalesce(:server, server) AND tool = coalesce(:tool, tool)) ORDER BY coalesce(since, 0) DESC, born DESC LIMIT :limit",
  lastLine:
    "SELECT max(number) AS number FROM journal WHERE group_number = :groupNumber",
  addLine:
    "INSERT INTO journal (group_number, number, at, id, line) VALUES (:groupNumber, :number, :at, :id, :line)",
  trimJournal:
    "DELETE FROM journal WHERE group_number = :groupNumber AND number <= :number",
  readJournal:
    "SELECT group_number, number, at, id, line FROM journal INDEXED BY journal_time WHERE (at, group_number, number) < (:at, :groupNumber, :number) ORDER BY at DESC, group_number DESC, number DESC LIMIT :limit",
  readJournalOf:
    "SELECT group_number, number, at, id, line FROM journal INDEXED BY journal_time WHERE (at, group_number, number) < (:at, :groupNumber, :number) AND group_number IN (SELECT number FROM groups WHERE server = coalesce(:server, server) AND tool = coalesce(:tool, tool)) ORDER BY at DESC, group_number DESC, number DESC LIMIT :limit",
  removeHoldsOf:
    "DELETE FROM holds WHERE born = :born",
  removeHistoryOf:
    "DELETE FROM history WHERE born = :born",
  removeRecord:
    "DELETE FROM records WHERE born = :born",
  findExpired:
    "SELECT born FROM records WHERE expires_at IS NOT NULL AND expires_at <= :now ORDER BY expires_at LIMIT :limit",
  findExpiredPayloads:
    "SELECT born FROM payloads WHERE expires_at IS NOT NULL AND expires_at <= :now ORDER BY expires_at LIMIT :limit",
} as const;

/** The parameters of each statement. */
export interface StatementParameters {
  readonly readMeta: never;
  readonly createMeta: "namespace" | "epoch" | "time" | "lossAt";
  readonly writeMeta: "writes" | "time" | "lossAt";
  readonly markSecret: "mark";
  readonly bindKey: "keyId";
  readonly findGroup: "tag";
  readonly readGroup: "number";
  readonly addGroup: "tag" | "tenant" | "server" | "tool";
  readonly readGeneration: "server" | "tool";
  readonly raiseGeneration: "server" | "tool";
  readonly readSuspensions: never;
  readonly findSuspension: "server" | "tool";
  readonly putSuspension: "server" | "tool" | "reason" | "actor" | "at" | "detail";
  readonly removeSuspension: "server" | "tool";
  readonly findRecord: "id";
  readonly readPayload: "born";
  readonly addRecord: "id" | "groupNumber" | "at" | "digest" | "token" | "body" | "due" | "attention";
  readonly replaceRecord: "version" | "at" | "token" | "body" | "due" | "attention" | "expiresAt" | "since" | "born";
  readonly putPayload: "born" | "text" | "expiresAt";
  readonly endPayload: "expiresAt" | "born";
  readonly removePayload: "born";
  readonly addHold: "groupNumber" | "entry" | "born";
  readonly removeHold: "groupNumber" | "entry" | "born";
  readonly findOwner: "groupNumber" | "entry" | "now";
  readonly addHistory: "born" | "version" | "lineNumber" | "at" | "line";
  readonly readHistory: "id" | "now";
  readonly readDue: "now" | "limit";
  readonly listOpen: "born" | "now" | "limit";
  readonly listOpenOf: "born" | "now" | "server" | "tool" | "limit";
  readonly listQueue: "since" | "born" | "now" | "limit";
  readonly listQueueOf: "since" | "born" | "now" | "server" | "tool" | "limit";
  readonly listOpenNewest: "born" | "now" | "limit";
  readonly listOpenNewestOf: "born" | "now" | "server" | "tool" | "limit";
  readonly listQueueNewest: "since" | "born" | "now" | "limit";
  readonly listQueueNewestOf: "since" | "born" | "now" | "server" | "tool" | "limit";
  readonly lastLine: "groupNumber";
  readonly addLine: "groupNumber" | "number" | "at" | "id" | "line";
  readonly trimJournal: "groupNumber" | "number";
  readonly readJournal: "at" | "groupNumber" | "number" | "limit";
  readonly readJournalOf: "at" | "groupNumber" | "number" | "server" | "tool" | "limit";
  readonly removeHoldsOf: "born";
  readonly removeHistoryOf: "born";
  readonly removeRecord: "born";
  readonly findExpired: "now" | "limit";
  readonly findExpiredPayloads: "now" | "limit";
}
