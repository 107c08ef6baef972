/** Wrong versions of the Lua text, each of which the conformance suite must catch. */

export interface RedisMutant {
  readonly name: string;
  /** From the root of the repository. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

const folder = "adapters/stores/redis/lua";
const mutant = (name: string, file: string, find: string, replace: string): RedisMutant => ({
  name,
  file: `${folder}/${file}.lua`,
  find,
  replace,
});

const acks = "for _, change in ipairs(intent.acks) do apply(change) end";
const holds = "local entry, owner, held = holder(intent.blocked_by, id)";
const late = "if time > not_after then return { 'late', now, time, hw } end";

export const redisMutants: readonly RedisMutant[] = [
  mutant(
    "a repeated begin is not recognised",
    "begin",
    "if token == our_token and version == '1' then",
    "if false then",
  ),
  mutant("a begin repeats into a later version", "begin", "and version == '1' then", "then"),
  mutant("other arguments are not refused", "begin", "digest == our_digest and 'exists' or 'mismatch'", "'exists'"),
  mutant("holds are not looked at", "_holder", "redis.call('HGET', holds, entry), false", "false, false"),
  mutant(
    "a hold of owners that are gone stays",
    "_holder",
    "if record then return entry, owner, record end",
    "return entry, owner, record or ''",
  ),
  mutant("deliveries are applied after the look at the holds", "begin", `${acks}\n  ${holds}`, `${holds}\n  ${acks}`),
  mutant("stale deliveries are applied", "begin", "if old and tonumber(version) == change.expect then", "if old then"),
  mutant("a late begin is written", "begin", late, ""),
  mutant("a lost intent is begun again", "begin", "if intent.lost then", "if false then"),
  mutant("an old intent is begun", "begin", "intent.good_until >= 0 and now > intent.good_until", "false"),
  mutant("a begin is not counted", "begin", "hw = hw + 1", "hw = hw"),
  mutant("a new owner of a hold replaces the old one", "_create", "owners = owners .. ',' .. id", "owners = owners"),
  mutant(
    "a repeated swap is not recognised",
    "swap",
    "if token == change.token and version == change.expect + 1 then",
    "if false then",
  ),
  mutant("versions are not compared", "swap", "if version ~= change.expect then", "if false then"),
  mutant("a late swap is written", "swap", late, ""),
  mutant(
    "the last instant of a swap is ignored",
    "swap",
    "if last_instant >= 0 and now > last_instant then",
    "if false then",
  ),
  mutant("a suspension does not stop a swap", "swap", "if not generation_ok then", "if false then"),
  mutant(
    "what is written after a refused swap is not counted",
    "_each",
    "if hw > before then",
    "if hw > before + 1 then",
  ),
  mutant("a suspension is not told to the groups", "raise", "generation + 1", "generation + 0"),
  mutant("a suspension takes any other's place", "suspend", "if text ~= instead then", "if false then"),
  mutant("no suspension takes another's place", "suspend", "if text ~= instead then", "if true then"),
  mutant("any suspension is lifted instead of the one", "lift", "only ~= ''", "false"),
  mutant("marks are not compared", "_group", "if string.sub(found, 1, #known) == known then", "if true then"),
  mutant("a lower count is not noticed", "_group", "local changed = hw < min_hw", "local changed = hw < 0"),
  mutant("marks that are gone are no loss", "touch", "if epoch ~= '' then loss = math.max(loss, now) end", ""),
  mutant("a loss elsewhere is not passed on", "touch", "math.max(tonumber(loss or 0), lost_at)", "tonumber(loss or 0)"),
  mutant(
    "open records end by themselves",
    "_write",
    "else redis.call('SET', record, value) end",
    "else redis.call('SET', record, value, 'PX', 900) end",
  ),
  mutant(
    "settled records never end",
    "_write",
    "if ends > 0 then redis.call('SET', record",
    "if false then redis.call('SET', record",
  ),
  mutant("a due time is not taken out", "_write", "redis.call('ZREM', due, change.id)", "redis.call('TIME')"),
  mutant("the queue keeps what is done", "_write", "redis.call('ZREM', attention, change.id)", "redis.call('TIME')"),
  mutant("the first to let go ends a hold of several", "_write", "if owners == change.id then", "if owners then"),
  mutant(
    "a kept payload lives as long as its record",
    "_write",
    "own_end > 0 and (ends == 0 or own_end < ends) and own_end or ends",
    "ends",
  ),
  mutant("the queue stands in the order of its writes", "_write", "change.since ~= '' and change.since or now", "now"),
  mutant(
    "a record moves in the queue while it is there",
    "_write",
    "attention, 'NX', change.since",
    "attention, change.since",
  ),
  mutant("pages skip what stands at the same place in another group", "heads", "same and ahead or upto", "upto"),
  mutant("pages show again what stands at the same place", "heads", "same and ahead or upto", "ahead"),
  mutant("a journal without end", "_journal", "redis.call('LTRIM', journal, -10000, -1)", ""),
  mutant("journal lines are not counted", "_journal", "number + i", "i"),
  mutant("the journal shows a line twice", "journal", "n < number", "n <= number"),
];
