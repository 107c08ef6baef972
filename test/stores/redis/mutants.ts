/** Wrong versions of the Lua text, each of which the conformance suite must catch. */
import { readFileSync } from "node:fs";

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

/** The deliveries of `begin` and its look at the holds, in the wrong order. */
function acksAfterHolds(): RedisMutant {
  const text = readFileSync(new URL(`../../../${folder}/begin.lua`, import.meta.url), "utf8");
  const [acks, holds, rest] = ["for _, ack in", "for _, entry in", "local because ="].map((mark) => text.indexOf(mark));
  const [first, second] = [text.slice(acks, holds), text.slice(holds, rest)];
  return mutant("deliveries are applied after the look at the holds", "begin", first + second, second + first);
}

export const redisMutants: readonly RedisMutant[] = [
  mutant(
    "a repeated begin is not recognised",
    "begin",
    "if token == intent.token and version == 1 then",
    "if false then",
  ),
  mutant("a begin repeats into a later version", "begin", "and version == 1 then", "then"),
  mutant("other arguments are not refused", "begin", "was == digest and 'exists' or 'mismatch'", "'exists'"),
  mutant(
    "holds are not looked at",
    "begin",
    "local found = owner ~= intent.id and redis.call('GET', key('r', owner))",
    "local found = false",
  ),
  acksAfterHolds(),
  mutant("stale deliveries are applied", "begin", "if found and version == ack.expect then", "if found then"),
  mutant("a late begin is written", "begin", "if time > not_after then return reply('late') end", ""),
  mutant("a lost intent is begun again", "begin", "lost and 'store_loss' or ", ""),
  mutant("an old intent is begun", "begin", "good_until >= 0 and now > good_until and", "false and"),
  mutant(
    "a repeated swap is not recognised",
    "swap",
    "if token == change.token and version == change.expect + 1 then",
    "if false then",
  ),
  mutant("versions are not compared", "swap", "if version ~= change.expect then", "if false then"),
  mutant("a late swap is written", "swap", "if time > not_after then return reply('late') end", ""),
  mutant(
    "the last instant of a swap is ignored",
    "swap",
    "if last_instant >= 0 and now > last_instant then",
    "if false then",
  ),
  mutant("a suspension does not stop a swap", "swap", "if not generation_ok then", "if false then"),
  mutant("a suspension is not told to the groups", "raise", "generation + 1", "generation + 0"),
  mutant(
    "marks are not compared",
    "_group",
    "local changed = string.sub(found, 1, #known) ~= known",
    "local changed = false",
  ),
  mutant("a lower count is not noticed", "_group", "if not hw or hw < min_hw then", "if not hw then"),
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
  mutant("a due time is not taken out", "_write", "redis.call('ZREM', due, change.id)", "do end"),
  mutant("the queue keeps what is done", "_write", "redis.call('ZREM', attention, change.id)", "do end"),
  mutant("the first to let go ends a hold of several", "_write", "if owners == id then", "if owners then"),
  mutant(
    "a hold has one owner",
    "_write",
    "redis.call('HSET', holds, entry, owners .. ',' .. id)",
    "redis.call('TIME')",
  ),
  mutant(
    "a kept payload lives as long as its record",
    "_write",
    "if own_end > 0 and (ends == 0 or own_end < ends) then ends = own_end end",
    "",
  ),
];
