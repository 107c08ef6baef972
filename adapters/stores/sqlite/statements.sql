-- Every statement that the store runs, each under its name. scripts/generate-sql.ts turns them into schema.gen.ts with
-- the names of their parameters. None of them decides anything: that is done in steps.ts.

-- name: readMeta
SELECT namespace, epoch, writes, time, loss_at AS lossAt, secret_mark AS secretMark, key_id AS keyId FROM meta;

-- name: createMeta
INSERT INTO meta (one, namespace, epoch, writes, time, loss_at) VALUES (1, :namespace, :epoch, 0, :time, :lossAt);

-- name: writeMeta
UPDATE meta SET writes = :writes, time = :time, loss_at = :lossAt;

-- name: markSecret
UPDATE meta SET secret_mark = :mark;

-- name: bindKey
UPDATE meta SET key_id = :keyId WHERE key_id IS NULL;

-- name: findGroup
SELECT number FROM groups WHERE tag = :tag;

-- name: readGroup
SELECT tag, tenant, server, tool FROM groups WHERE number = :number;

-- name: addGroup
INSERT INTO groups (tag, tenant, server, tool) VALUES (:tag, :tenant, :server, :tool);

-- name: readGeneration
SELECT generation FROM generations WHERE server = :server AND tool = :tool;

-- name: raiseGeneration
INSERT INTO generations (server, tool, generation) VALUES (:server, :tool, 1)
ON CONFLICT (server, tool) DO UPDATE SET generation = generation + 1;

-- name: readSuspensions
SELECT server, tool, reason, actor, at, detail FROM suspensions ORDER BY at, server, tool;

-- name: findSuspension
SELECT server, tool, reason, actor, at, detail FROM suspensions WHERE server = :server AND tool = :tool;

-- name: putSuspension
INSERT OR REPLACE INTO suspensions (server, tool, reason, actor, at, detail)
VALUES (:server, :tool, :reason, :actor, :at, :detail);

-- name: removeSuspension
DELETE FROM suspensions WHERE server = :server AND tool = :tool;

-- name: findRecord
SELECT * FROM records WHERE id = :id;

-- name: readPayload
SELECT text, expires_at FROM payloads WHERE born = :born;

-- name: addRecord
INSERT INTO records (id, group_number, version, at, digest, token, body, due, attention, since)
VALUES (:id, :groupNumber, 1, :at, :digest, :token, :body, :due, :attention, :at);

-- name: replaceRecord
UPDATE records SET version = :version, at = :at, token = :token, body = :body, due = :due, attention = :attention,
  expires_at = :expiresAt, since = CASE attention WHEN 1 THEN since ELSE :since END
WHERE born = :born;

-- name: putPayload
INSERT INTO payloads (born, text, expires_at) VALUES (:born, :text, :expiresAt)
ON CONFLICT (born) DO UPDATE SET text = excluded.text, expires_at = excluded.expires_at;

-- name: endPayload
UPDATE payloads SET expires_at = :expiresAt WHERE born = :born;

-- name: removePayload
DELETE FROM payloads WHERE born = :born;

-- name: addHold
INSERT INTO holds (group_number, entry, born) VALUES (:groupNumber, :entry, :born) ON CONFLICT DO NOTHING;

-- name: removeHold
DELETE FROM holds WHERE group_number = :groupNumber AND entry = :entry AND born = :born;

-- The oldest living owner.
-- name: findOwner
SELECT r.* FROM holds h JOIN records r ON r.born = h.born
WHERE h.group_number = :groupNumber AND h.entry = :entry AND (r.expires_at IS NULL OR r.expires_at > :now)
ORDER BY h.born LIMIT 1;

-- name: addHistory
INSERT INTO history (born, version, line_number, at, line) VALUES (:born, :version, :lineNumber, :at, :line);

-- name: readHistory
SELECT h.at, h.line FROM records r JOIN history h ON h.born = r.born
WHERE r.id = :id AND (r.expires_at IS NULL OR r.expires_at > :now) ORDER BY h.version, h.line_number;

-- name: readDue
SELECT * FROM records INDEXED BY records_due
WHERE due IS NOT NULL AND due <= :now AND (expires_at IS NULL OR expires_at > :now)
ORDER BY due LIMIT :limit;

-- name: listOpen
SELECT * FROM records INDEXED BY records_open
WHERE due IS NOT NULL AND born > :born AND (expires_at IS NULL OR expires_at > :now)
ORDER BY born LIMIT :limit;

-- name: listOpenOf
SELECT * FROM records INDEXED BY records_open
WHERE due IS NOT NULL AND born > :born AND (expires_at IS NULL OR expires_at > :now)
  AND group_number IN (SELECT number FROM groups WHERE server = coalesce(:server, server) AND tool = coalesce(:tool, tool))
ORDER BY born LIMIT :limit;

-- The bound on `since` alone is what SQLite searches the index with.
-- name: listQueue
SELECT * FROM records INDEXED BY records_queue
WHERE attention = 1 AND coalesce(since, 0) >= :since AND (coalesce(since, 0), born) > (:since, :born) AND (expires_at IS NULL OR expires_at > :now)
ORDER BY coalesce(since, 0), born LIMIT :limit;

-- name: listQueueOf
SELECT * FROM records INDEXED BY records_queue
WHERE attention = 1 AND coalesce(since, 0) >= :since AND (coalesce(since, 0), born) > (:since, :born) AND (expires_at IS NULL OR expires_at > :now)
  AND group_number IN (SELECT number FROM groups WHERE server = coalesce(:server, server) AND tool = coalesce(:tool, tool))
ORDER BY coalesce(since, 0), born LIMIT :limit;

-- name: listOpenNewest
SELECT * FROM records INDEXED BY records_open
WHERE due IS NOT NULL AND born < :born AND (expires_at IS NULL OR expires_at > :now)
ORDER BY born DESC LIMIT :limit;

-- name: listOpenNewestOf
SELECT * FROM records INDEXED BY records_open
WHERE due IS NOT NULL AND born < :born AND (expires_at IS NULL OR expires_at > :now)
  AND group_number IN (SELECT number FROM groups WHERE server = coalesce(:server, server) AND tool = coalesce(:tool, tool))
ORDER BY born DESC LIMIT :limit;

-- name: listQueueNewest
SELECT * FROM records INDEXED BY records_queue
WHERE attention = 1 AND coalesce(since, 0) <= :since AND (coalesce(since, 0), born) < (:since, :born) AND (expires_at IS NULL OR expires_at > :now)
ORDER BY coalesce(since, 0) DESC, born DESC LIMIT :limit;

-- name: listQueueNewestOf
SELECT * FROM records INDEXED BY records_queue
WHERE attention = 1 AND coalesce(since, 0) <= :since AND (coalesce(since, 0), born) < (:since, :born) AND (expires_at IS NULL OR expires_at > :now)
  AND group_number IN (SELECT number FROM groups WHERE server = coalesce(:server, server) AND tool = coalesce(:tool, tool))
ORDER BY coalesce(since, 0) DESC, born DESC LIMIT :limit;

-- name: lastLine
SELECT max(number) AS number FROM journal WHERE group_number = :groupNumber;

-- name: addLine
INSERT INTO journal (group_number, number, at, id, line) VALUES (:groupNumber, :number, :at, :id, :line);

-- name: trimJournal
DELETE FROM journal WHERE group_number = :groupNumber AND number <= :number;

-- name: readJournal
SELECT group_number, number, at, id, line FROM journal INDEXED BY journal_time
WHERE (at, group_number, number) < (:at, :groupNumber, :number)
ORDER BY at DESC, group_number DESC, number DESC LIMIT :limit;

-- name: readJournalOf
SELECT group_number, number, at, id, line FROM journal INDEXED BY journal_time
WHERE (at, group_number, number) < (:at, :groupNumber, :number)
  AND group_number IN (SELECT number FROM groups WHERE server = coalesce(:server, server) AND tool = coalesce(:tool, tool))
ORDER BY at DESC, group_number DESC, number DESC LIMIT :limit;

-- name: removeHoldsOf
DELETE FROM holds WHERE born = :born;

-- name: removeHistoryOf
DELETE FROM history WHERE born = :born;

-- name: removeRecord
DELETE FROM records WHERE born = :born;

-- name: findExpired
SELECT born FROM records WHERE expires_at IS NOT NULL AND expires_at <= :now ORDER BY expires_at LIMIT :limit;

-- name: findExpiredPayloads
SELECT born FROM payloads WHERE expires_at IS NOT NULL AND expires_at <= :now ORDER BY expires_at LIMIT :limit;
