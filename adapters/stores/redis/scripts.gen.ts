// Generated from lua/*.lua by scripts/generate-lua.ts. Do not edit.
export type ScriptName = "begin" | "due" | "heads" | "journal" | "lift" | "raise" | "read" | "rights" | "rows" | "suspend" | "suspended" | "swap" | "touch";
/** Sends a script: the count of its keys first, then its keys, then its arguments. */
export type RunScript = (name: ScriptName, keysAndArgs: string[]) => Promise<unknown>;
export interface ScriptChange {
  readonly id: string;
  readonly expect: number;
  readonly token: string;
  readonly body: string;
  readonly payload: string;
  readonly payloadExpire: number;
  readonly due: string;
  readonly attention: boolean;
  readonly since: string;
  readonly expire: number;
  readonly addHolds: readonly string[];
  readonly removeHolds: readonly string[];
  readonly history: readonly string[];
  readonly journal: readonly string[];
}
function pushChange(out: string[], change: ScriptChange): void {
  out.push(`${change.id}|${change.expect}|${change.token}|${change.payloadExpire}|${change.due}|${change.attention ? 1 : 0}|${change.since}|${change.expire}|${change.addHolds.length}|${change.removeHolds.length}|${change.history.length}|${change.journal.length}`, change.body, change.payload);
  for (const item of change.addHolds) out.push(item);
  for (const item of change.removeHolds) out.push(item);
  for (const item of change.history) out.push(item);
  for (const item of change.journal) out.push(item);
}
export interface ScriptIntent {
  readonly id: string;
  readonly lost: boolean;
  readonly goodUntil: number;
  readonly due: string;
  readonly attention: boolean;
  readonly tail: string;
  readonly payload: string;
  readonly ownHolds: readonly string[];
  readonly blockedBy: readonly string[];
  readonly history: readonly string[];
  readonly journal: readonly string[];
  readonly acks: readonly ScriptChange[];
}
function pushIntent(out: string[], intent: ScriptIntent): void {
  out.push(`${intent.id}|${intent.lost ? 1 : 0}|${intent.goodUntil}|${intent.due}|${intent.attention ? 1 : 0}|${intent.ownHolds.length}|${intent.blockedBy.length}|${intent.history.length}|${intent.journal.length}|${intent.acks.length}`, intent.tail, intent.payload);
  for (const item of intent.ownHolds) out.push(item);
  for (const item of intent.blockedBy) out.push(item);
  for (const item of intent.history) out.push(item);
  for (const item of intent.journal) out.push(item);
  for (const change of intent.acks) pushChange(out, change);
}
export interface BeginKeys {
  readonly marks: string;
  readonly holds: string;
  readonly due: string;
  readonly attention: string;
}
export interface BeginArgs {
  readonly minHw: number;
  readonly ask: boolean;
  readonly notAfter: number;
  readonly known: string;
  readonly intents: readonly ScriptIntent[];
}
/** Creates version 1 of records of one group, each for itself, or says of each why not. Applies their `acks` on the way. Reply: kind, now, time, count; instead of done: late · changed: the marks are others. Then a list for each intent: created, instant · exists, mismatch, record, payload · held, entry, owner's id, record, payload · suspect, because · broken: to be sent by itself. */
export function beginScript(run: RunScript, keys: BeginKeys, args: BeginArgs, more: readonly string[]): Promise<unknown> {
  const out: string[] = [String(4 + more.length), keys.marks, keys.holds, keys.due, keys.attention];
  for (const key of more) out.push(key);
  out.push(`${args.minHw}|${args.ask ? 1 : 0}|${args.notAfter}|${args.intents.length}`, args.known);
  for (const intent of args.intents) pushIntent(out, intent);
  return run("begin", out);
}
const beginLua = [
  "local marks, holds, due, attention = KEYS[1], KEYS[2], KEYS[3], KEYS[4]",
  "local min_hw, ask, not_after, count_1",
  "min_hw, ask, not_after, count_1 = string.match(ARGV[1], '^([^|]*)|([^|]*)|([^|]*)|([^|]*)$')",
  "min_hw = tonumber(min_hw)",
  "not_after = tonumber(not_after)",
  "ask = ask == '1'",
  "local known = ARGV[2]",
  "local position = 2",
  "local none = {}",
  "local function take(count)",
  "if count == '0' then return none end",
  "local items = {}",
  "for i = 1, count do items[i] = ARGV[position + i] end",
  "position = position + count",
  "return items",
  "end",
  "local function take_changes(count)",
  "if count == '0' then return none end",
  "local items = {}",
  "for i = 1, count do",
  "local change = { id = false, expect = false, token = false, body = false, payload = false, payload_expire = false, due = false, attention = false, since = false, expire = false, add_holds = false, remove_holds = false, history = false, journal = false }",
  "local count_1, count_2, count_3, count_4",
  "change.id, change.expect, change.token, change.payload_expire, change.due, change.attention, change.since, change.expire, count_1, count_2, count_3, count_4 = string.match(ARGV[position + 1], '^([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)$')",
  "change.expect = tonumber(change.expect)",
  "change.payload_expire = tonumber(change.payload_expire)",
  "change.expire = tonumber(change.expire)",
  "change.attention = change.attention == '1'",
  "change.body = ARGV[position + 2]",
  "change.payload = ARGV[position + 3]",
  "position = position + 3",
  "change.add_holds = take(count_1)",
  "change.remove_holds = take(count_2)",
  "change.history = take(count_3)",
  "change.journal = take(count_4)",
  "items[i] = change",
  "end",
  "return items",
  "end",
  "local function take_intents(count)",
  "if count == '0' then return none end",
  "local items = {}",
  "for i = 1, count do",
  "local intent = { id = false, lost = false, good_until = false, due = false, attention = false, tail = false, payload = false, own_holds = false, blocked_by = false, history = false, journal = false, acks = false }",
  "local count_1, count_2, count_3, count_4, count_5",
  "intent.id, intent.lost, intent.good_until, intent.due, intent.attention, count_1, count_2, count_3, count_4, count_5 = string.match(ARGV[position + 1], '^([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)$')",
  "intent.good_until = tonumber(intent.good_until)",
  "intent.lost = intent.lost == '1'",
  "intent.attention = intent.attention == '1'",
  "intent.tail = ARGV[position + 2]",
  "intent.payload = ARGV[position + 3]",
  "position = position + 3",
  "intent.own_holds = take(count_1)",
  "intent.blocked_by = take(count_2)",
  "intent.history = take(count_3)",
  "intent.journal = take(count_4)",
  "intent.acks = take_changes(count_5)",
  "items[i] = intent",
  "end",
  "return items",
  "end",
  "local intents = take_intents(count_1)",
  "local base = string.sub(marks, 1, -2)",
  "local clock = redis.call('TIME')",
  "local time = clock[1] * 1000 + math.floor(clock[2] / 1000)",
  "local found, hw, last = redis.call('GET', marks) or '', -1, 0",
  "if string.sub(found, 1, #known) == known then hw, last = string.match(found, '^(%d+)|(%d+)$', #known + 1) end",
  "hw = tonumber(hw or -1)",
  "local now = math.max(time, tonumber(last or 0))",
  "local changed = hw < min_hw",
  "if ask and not changed then",
  "local run_id = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')",
  "changed = not string.find(known, '|' .. string.sub(run_id, 1, 16) .. '|', 1, true)",
  "end",
  "local left, before, repeated = string.sub(known, -2), hw, false",
  "local function each(items, work)",
  "local answer = { 'done', now, time, hw }",
  "for i, item in ipairs(items) do",
  "local sound, parts = true, nil",
  "if #items == 1 then parts = work(item) else sound, parts = pcall(work, item) end",
  "answer[4 + i] = sound and parts or { 'broken' }",
  "end",
  "if hw > before then",
  "redis.call('SET', marks, string.sub(known, 1, -3) .. left .. hw .. '|' .. now)",
  "elseif repeated then",
  "redis.call('SET', marks, found)",
  "end",
  "answer[4] = hw",
  "return answer",
  "end",
  "local function holder(entries, id)",
  "for _, entry in ipairs(entries) do",
  "local owners, alive = redis.call('HGET', holds, entry), false",
  "for owner in string.gmatch(owners or '', '[^,]+') do",
  "if owner == id then",
  "alive = true",
  "else",
  "local record = redis.call('GET', base .. 'r:' .. owner)",
  "if record then return entry, owner, record end",
  "end",
  "end",
  "if owners and not alive then redis.call('HDEL', holds, entry) end",
  "end",
  "end",
  "if time > not_after then return { 'late', now, time, hw } end",
  "if changed then return { 'changed', now, time, hw } end",
  "local has_room = false",
  "local function ask_for_room()",
  "if not has_room then redis.call('SETRANGE', marks, 0, '') end",
  "has_room = true",
  "end",
  "local function apply(change)",
  "local record, payload, history = base .. 'r:' .. change.id, base .. 'p:' .. change.id, base .. 'h:' .. change.id",
  "local old = redis.call('GET', record)",
  "local version, digest, flags = string.match(old or '', '^(%d+)|%d+|[^|]*|([^|]*)|(%a*)|')",
  "if old and tonumber(version) == change.expect then",
  "version = version + 1",
  "do",
  "local ends = change.expire >= 0 and time + change.expire or 0",
  "local mode = string.byte(change.payload)",
  "local had_payload, had_history = string.find(flags, 'p', 1, true), string.find(flags, 'h', 1, true)",
  "local had_end = string.find(flags, 'e', 1, true)",
  "local kept = (change.due ~= '' and 'd' or '')",
  ".. (change.attention and 'a' or '')",
  ".. ((mode == 43 or mode == 61 and had_payload) and 'p' or '')",
  ".. ((had_history or #change.history > 0) and 'h' or '')",
  ".. (ends > 0 and 'e' or '')",
  "local value = version .. '|' .. now .. '|' .. change.token .. '|' .. digest .. '|' .. kept .. '|' .. change.body",
  "local own_end = change.payload_expire >= 0 and time + change.payload_expire or 0",
  "local function payload_ends() return own_end > 0 and (ends == 0 or own_end < ends) and own_end or ends end",
  "if mode == 43 then",
  "local text = (own_end > 0 and own_end or '0000000000000') .. '|' .. string.sub(change.payload, 2)",
  "local till = payload_ends()",
  "if till > 0 then redis.call('SET', payload, text, 'PXAT', till) else redis.call('SET', payload, text) end",
  "elseif mode == 61 and had_payload and (ends > 0 or had_end or own_end > 0) then",
  "local is_kept = own_end == 0",
  "if is_kept then",
  "own_end = tonumber(redis.call('GETRANGE', payload, 0, 12)) or 0",
  "elseif redis.call('EXISTS', payload) == 1 then",
  "redis.call('SETRANGE', payload, 0, own_end)",
  "end",
  "local till = payload_ends()",
  "if till == 0 then",
  "redis.call('PERSIST', payload)",
  "elseif not is_kept or had_end or till ~= own_end then",
  "redis.call('PEXPIREAT', payload, till)",
  "end",
  "elseif mode == 45 and had_payload then",
  "redis.call('PEXPIRE', payload, 0)",
  "end",
  "for _, line in ipairs(change.history) do redis.call('RPUSH', history, now .. '|' .. line) end",
  "if ends > 0 and (had_history or #change.history > 0) then",
  "redis.call('PEXPIREAT', history, ends)",
  "elseif had_end and had_history then",
  "redis.call('PERSIST', history)",
  "end",
  "if change.due ~= '' then",
  "local at = string.byte(change.due) == 43 and now + string.sub(change.due, 2) or change.due",
  "redis.call('ZADD', due, at, change.id)",
  "elseif string.find(flags, 'd', 1, true) then",
  "redis.call('ZREM', due, change.id)",
  "end",
  "if change.attention then",
  "redis.call('ZADD', attention, 'NX', change.since ~= '' and change.since or now, change.id)",
  "elseif string.find(flags, 'a', 1, true) then",
  "redis.call('ZREM', attention, change.id)",
  "end",
  "for _, entry in ipairs(change.add_holds) do",
  "if redis.call('HSETNX', holds, entry, change.id) == 0 then",
  "local owners = redis.call('HGET', holds, entry)",
  "if not string.find(',' .. owners .. ',', ',' .. change.id .. ',', 1, true) then",
  "redis.call('HSET', holds, entry, owners .. ',' .. change.id)",
  "end",
  "end",
  "end",
  "for _, entry in ipairs(change.remove_holds) do",
  "local owners = redis.call('HGET', holds, entry)",
  "if owners == change.id then",
  "redis.call('HDEL', holds, entry)",
  "elseif owners then",
  "local rest = string.gsub(',' .. owners .. ',', ',' .. string.gsub(change.id, '%W', '%%%0') .. ',', ',')",
  "rest = string.sub(rest, 2, -2)",
  "if rest == '' then redis.call('HDEL', holds, entry) else redis.call('HSET', holds, entry, rest) end",
  "end",
  "end",
  "if #change.journal > 0 then",
  "local about, notes = change.id, change.journal",
  "do",
  "local journal = string.sub(marks, 1, -2) .. 'j'",
  "local number = tonumber(string.match(redis.call('LINDEX', journal, -1) or '', '^%d+') or 0)",
  "for i, note in ipairs(notes) do redis.call('RPUSH', journal, number + i .. '|' .. now .. '|' .. about .. '|' .. note) end",
  "redis.call('LTRIM', journal, -10000, -1)",
  "end",
  "end",
  "if ends > 0 then redis.call('SET', record, value, 'PXAT', ends) else redis.call('SET', record, value) end",
  "if ends > 0 and (change.attention or change.due ~= '') then left = '1|' end",
  "hw = hw + 1",
  "end",
  "end",
  "end",
  "local function begin(intent)",
  "local id = intent.id",
  "local record, payload, history = base .. 'r:' .. id, base .. 'p:' .. id, base .. 'h:' .. id",
  "local old = redis.call('GET', record)",
  "if old then",
  "local version, at, token, digest = string.match(old, '^(%d+)|(%d+)|([^|]*)|([^|]*)|')",
  "local our_token, our_digest = string.match(intent.tail, '^([^|]*)|([^|]*)|')",
  "if token == our_token and version == '1' then",
  "repeated = true",
  "return { 'created', tonumber(at) }",
  "end",
  "return { digest == our_digest and 'exists' or 'mismatch', old, redis.call('GET', payload) }",
  "end",
  "if #intent.acks > 0 then ask_for_room() end",
  "for _, change in ipairs(intent.acks) do apply(change) end",
  "local entry, owner, held = holder(intent.blocked_by, id)",
  "if held then return { 'held', entry, owner, held, redis.call('GET', base .. 'p:' .. owner) } end",
  "if intent.lost then return { 'suspect', 'store_loss' } end",
  "if intent.good_until >= 0 and now > intent.good_until then return { 'suspect', 'intent_too_old' } end",
  "ask_for_room()",
  "do",
  "if intent.payload ~= '' then redis.call('SET', payload, '0000000000000|' .. string.sub(intent.payload, 2)) end",
  "for _, line in ipairs(intent.history) do redis.call('RPUSH', history, now .. '|' .. line) end",
  "if left == '1|' then redis.call('ZREM', due, id) redis.call('ZREM', attention, id) end",
  "if intent.due ~= '' then",
  "redis.call('ZADD', due, string.byte(intent.due) == 43 and now + string.sub(intent.due, 2) or intent.due, id)",
  "end",
  "if intent.attention then redis.call('ZADD', attention, now, id) end",
  "if #intent.journal > 0 then",
  "local about, notes = id, intent.journal",
  "do",
  "local journal = string.sub(marks, 1, -2) .. 'j'",
  "local number = tonumber(string.match(redis.call('LINDEX', journal, -1) or '', '^%d+') or 0)",
  "for i, note in ipairs(notes) do redis.call('RPUSH', journal, number + i .. '|' .. now .. '|' .. about .. '|' .. note) end",
  "redis.call('LTRIM', journal, -10000, -1)",
  "end",
  "end",
  "for _, entry in ipairs(intent.own_holds) do",
  "if redis.call('HSETNX', holds, entry, id) == 0 then",
  "local owners = redis.call('HGET', holds, entry)",
  "if not string.find(',' .. owners .. ',', ',' .. id .. ',', 1, true) then owners = owners .. ',' .. id end",
  "redis.call('HSET', holds, entry, owners)",
  "end",
  "end",
  "redis.call('SET', record, '1|' .. now .. '|' .. intent.tail)",
  "end",
  "hw = hw + 1",
  "return { 'created', now }",
  "end",
  "return each(intents, begin)"
].join("\n");
export interface DueKeys {
  readonly marks: string;
  readonly due: string;
  readonly attention: string;
}
export interface DueArgs {
  readonly minHw: number;
  readonly ask: boolean;
  readonly limit: number;
  readonly known: string;
}
/** Ids whose time has come, oldest first. Entries of expired records are swept out. Reply: kind, now, time, count, then: id, ms, id, ms .... */
export function dueScript(run: RunScript, keys: DueKeys, args: DueArgs): Promise<unknown> {
  const out: string[] = ["3", keys.marks, keys.due, keys.attention];
  out.push(`${args.minHw}|${args.ask ? 1 : 0}|${args.limit}`, args.known);
  return run("due", out);
}
const dueLua = [
  "local marks, due, attention = KEYS[1], KEYS[2], KEYS[3]",
  "local min_hw, ask, limit",
  "min_hw, ask, limit = string.match(ARGV[1], '^([^|]*)|([^|]*)|([^|]*)$')",
  "min_hw = tonumber(min_hw)",
  "limit = tonumber(limit)",
  "ask = ask == '1'",
  "local known = ARGV[2]",
  "local base = string.sub(marks, 1, -2)",
  "local clock = redis.call('TIME')",
  "local time = clock[1] * 1000 + math.floor(clock[2] / 1000)",
  "local found, hw, last = redis.call('GET', marks) or '', -1, 0",
  "if string.sub(found, 1, #known) == known then hw, last = string.match(found, '^(%d+)|(%d+)$', #known + 1) end",
  "hw = tonumber(hw or -1)",
  "local now = math.max(time, tonumber(last or 0))",
  "local changed = hw < min_hw",
  "if ask and not changed then",
  "local run_id = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')",
  "changed = not string.find(known, '|' .. string.sub(run_id, 1, 16) .. '|', 1, true)",
  "end",
  "if changed then return { 'changed', now, time, hw } end",
  "local base, answer = string.sub(marks, 1, -2), { 'due', now, time, hw }",
  "local ids = redis.call('ZRANGEBYSCORE', due, '-inf', now, 'WITHSCORES', 'LIMIT', 0, limit)",
  "for i = 1, #ids, 2 do",
  "if redis.call('EXISTS', base .. 'r:' .. ids[i]) == 1 then",
  "answer[#answer + 1] = ids[i]",
  "answer[#answer + 1] = ids[i + 1]",
  "else",
  "redis.call('ZREM', due, ids[i])",
  "redis.call('ZREM', attention, ids[i])",
  "end",
  "end",
  "return answer"
].join("\n");
export interface HeadsKeys {
  readonly index: string;
}
export interface HeadsArgs {
  readonly from: string;
  readonly after: string;
  readonly same: boolean;
  readonly newest: boolean;
  readonly limit: number;
}
/** A stretch of one index behind a place, without the records: what of it is shown is decided across groups. Reply: id, ms, id, ms .... */
export function headsScript(run: RunScript, keys: HeadsKeys, args: HeadsArgs): Promise<unknown> {
  const out: string[] = ["1", keys.index];
  out.push(`${args.from}|${args.after}|${args.same ? 1 : 0}|${args.newest ? 1 : 0}|${args.limit}`);
  return run("heads", out);
}
const headsLua = [
  "local index = KEYS[1]",
  "local from, after, same, newest, limit",
  "from, after, same, newest, limit = string.match(ARGV[1], '^([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)$')",
  "limit = tonumber(limit)",
  "same = same == '1'",
  "newest = newest == '1'",
  "local count = redis.call('ZCARD', index)",
  "local function stretch(start, size)",
  "local first, last = start, start + size - 1",
  "if newest then first, last = count - start - size, count - start - 1 end",
  "if last < 0 or first >= count then return {} end",
  "local found = redis.call('ZRANGE', index, math.max(0, first), last, 'WITHSCORES')",
  "if not newest then return found end",
  "local turned = {}",
  "for i = #found - 1, 1, -2 do",
  "turned[#turned + 1] = found[i]",
  "turned[#turned + 1] = found[i + 1]",
  "end",
  "return turned",
  "end",
  "if from == '' then return stretch(0, limit) end",
  "local open = '(' .. from",
  "local ahead, upto",
  "if newest then",
  "ahead, upto = redis.call('ZCOUNT', index, open, '+inf'), redis.call('ZCOUNT', index, from, '+inf')",
  "else",
  "ahead, upto = redis.call('ZCOUNT', index, '-inf', open), redis.call('ZCOUNT', index, '-inf', from)",
  "end",
  "if after == '' then return stretch(same and ahead or upto, limit) end",
  "local score = redis.call('ZSCORE', index, after)",
  "if score and tonumber(score) == tonumber(from) then",
  "local rank = redis.call('ZRANK', index, after)",
  "return stretch((newest and count - 1 - rank or rank) + 1, limit)",
  "end",
  "while ahead < upto do",
  "local ids = stretch(ahead, math.min(100, upto - ahead))",
  "for i = 1, #ids, 2 do",
  "if newest and ids[i] < after or not newest and ids[i] > after then",
  "return stretch(ahead + (i - 1) / 2, limit)",
  "end",
  "end",
  "ahead = ahead + #ids / 2",
  "end",
  "return stretch(upto, limit)"
].join("\n");
export interface JournalKeys {
  readonly marks: string;
}
export interface JournalArgs {
  readonly at: number;
  readonly number: number;
  readonly limit: number;
}
/** The newest lines of a group's journal behind a place, the newest first. Lines stand in the order of their times. Reply: lines `number|at|id|line`. */
export function journalScript(run: RunScript, keys: JournalKeys, args: JournalArgs): Promise<unknown> {
  const out: string[] = ["1", keys.marks];
  out.push(`${args.at}|${args.number}|${args.limit}`);
  return run("journal", out);
}
const journalLua = [
  "local marks = KEYS[1]",
  "local at, number, limit",
  "at, number, limit = string.match(ARGV[1], '^([^|]*)|([^|]*)|([^|]*)$')",
  "at = tonumber(at)",
  "number = tonumber(number)",
  "limit = tonumber(limit)",
  "local journal = string.sub(marks, 1, -2) .. 'j'",
  "local last = redis.call('LLEN', journal) - 1",
  "if at >= 0 then",
  "local low, high = 0, last + 1",
  "while low < high do",
  "local middle = math.floor((low + high) / 2)",
  "local n, time = string.match(redis.call('LINDEX', journal, middle), '^(%d+)|(%d+)|')",
  "n, time = tonumber(n), tonumber(time)",
  "if time < at or time == at and n < number then low = middle + 1 else high = middle end",
  "end",
  "last = low - 1",
  "end",
  "local answer = {}",
  "if last < 0 then return answer end",
  "local found = redis.call('LRANGE', journal, math.max(0, last - limit + 1), last)",
  "for i = #found, 1, -1 do answer[#answer + 1] = found[i] end",
  "return answer"
].join("\n");
export interface LiftKeys {
  readonly suspensions: string;
}
export interface LiftArgs {
  readonly tool: string;
  readonly only: string;
}
/** Lifts the suspension of a tool. Reply: 1 if none stands now, else 0. */
export function liftScript(run: RunScript, keys: LiftKeys, args: LiftArgs): Promise<unknown> {
  const out: string[] = ["1", keys.suspensions];
  out.push(``, args.tool, args.only);
  return run("lift", out);
}
const liftLua = [
  "local suspensions = KEYS[1]",
  "local tool = ARGV[2]",
  "local only = ARGV[3]",
  "local old = redis.call('HGET', suspensions, tool)",
  "if old and only ~= '' and string.match(old, '^%d+|%d|(.*)$') ~= only then return 0 end",
  "redis.call('HDEL', suspensions, tool)",
  "return 1"
].join("\n");
export interface RaiseKeys {
  readonly marks: string;
}
/** Raises the generation of a group: whoever knew the old one has to look at the suspensions again. Reply: 1, or 0 if the group has no marks (then nobody knows a generation of it). */
export function raiseScript(run: RunScript, keys: RaiseKeys): Promise<unknown> {
  const out: string[] = ["1", keys.marks];
  return run("raise", out);
}
const raiseLua = [
  "local marks = KEYS[1]",
  "local found = redis.call('GET', marks)",
  "if not found then return 0 end",
  "local head, generation, tail = string.match(found, '^([^|]*|[^|]*|[^|]*|[^|]*|)(%d+)(|.*)$')",
  "redis.call('SET', marks, head .. generation + 1 .. tail)",
  "return 1"
].join("\n");
export interface ReadKeys {
  readonly marks: string;
  readonly names: string;
  readonly record: string;
  readonly payload: string;
}
/** One record with its payload, and the clock as it was before the read. Reply: time, marks, record, payload, names of the group. */
export function readScript(run: RunScript, keys: ReadKeys): Promise<unknown> {
  const out: string[] = ["4", keys.marks, keys.names, keys.record, keys.payload];
  return run("read", out);
}
const readLua = [
  "local marks, names, record, payload = KEYS[1], KEYS[2], KEYS[3], KEYS[4]",
  "local clock = redis.call('TIME')",
  "local time = clock[1] * 1000 + math.floor(clock[2] / 1000)",
  "local found = redis.call('MGET', marks, record, payload, names)",
  "return { time, found[1], found[2], found[3], found[4] }"
].join("\n");
export interface RightsKeys {
  readonly probe: string;
}
/** Which of the commands of our scripts this user may not run: found out before a write stops halfway for the lack of one. Reply: names. */
export function rightsScript(run: RunScript, keys: RightsKeys): Promise<unknown> {
  const out: string[] = ["1", keys.probe];
  return run("rights", out);
}
const rightsLua = [
  "local probe = KEYS[1]",
  "local missing = {}",
  "local function try(name, ...)",
  "local reply = redis.pcall(name, ...)",
  "local failed, text = pcall(function() return reply.err end)",
  "if not failed or not text then return true end",
  "if string.find(text, 'can.t run this command') or string.find(text, 'no permissions') then",
  "missing[#missing + 1] = string.lower(name)",
  "return false",
  "end",
  "return true",
  "end",
  "try('TIME')",
  "try('INFO', 'server')",
  "for _, name in ipairs({ 'GET', 'MGET', 'EXISTS', 'PERSIST', 'HGETALL', 'HVALS', 'HLEN', 'LLEN', 'ZCARD' }) do",
  "try(name, probe)",
  "end",
  "for _, name in ipairs({ 'HGET', 'ZSCORE', 'ZRANK', 'ZREM', 'PEXPIRE', 'PEXPIREAT', 'LINDEX' }) do try(name, probe, 'x') end",
  "for _, name in ipairs({ 'GETRANGE', 'LRANGE', 'ZRANGE', 'ZCOUNT', 'ZRANGEBYSCORE', 'ZADD', 'SETRANGE' }) do",
  "try(name, probe, 'x', 'x')",
  "end",
  "try('SET', probe, '', 'x')",
  "try('HSET', probe, 'x', 'x', 'x')",
  "if try('HDEL', probe, 'x') and try('HSETNX', probe, 'x', '') then redis.call('HDEL', probe, 'x') end",
  "if try('LTRIM', probe, 1, 0) and try('RPUSH', probe, '') then redis.call('LTRIM', probe, 1, 0) end",
  "return missing"
].join("\n");
export interface RowsKeys {
  readonly marks: string;
  readonly due: string;
  readonly attention: string;
}
export interface RowsArgs {
  readonly payloads: boolean;
  readonly ids: readonly string[];
}
/** Records of a group by id. Index entries of expired records are swept out. Reply: marks, record, payload, record, payload .... */
export function rowsScript(run: RunScript, keys: RowsKeys, args: RowsArgs): Promise<unknown> {
  const out: string[] = ["3", keys.marks, keys.due, keys.attention];
  out.push(`${args.payloads ? 1 : 0}|${args.ids.length}`);
  for (const item of args.ids) out.push(item);
  return run("rows", out);
}
const rowsLua = [
  "local marks, due, attention = KEYS[1], KEYS[2], KEYS[3]",
  "local payloads, count_1",
  "payloads, count_1 = string.match(ARGV[1], '^([^|]*)|([^|]*)$')",
  "payloads = payloads == '1'",
  "local position = 1",
  "local none = {}",
  "local function take(count)",
  "if count == '0' then return none end",
  "local items = {}",
  "for i = 1, count do items[i] = ARGV[position + i] end",
  "position = position + count",
  "return items",
  "end",
  "local ids = take(count_1)",
  "local base = string.sub(marks, 1, -2)",
  "local answer = { redis.call('GET', marks) }",
  "for i, id in ipairs(ids) do",
  "local record = redis.call('GET', base .. 'r:' .. id)",
  "if not record then",
  "redis.call('ZREM', due, id)",
  "redis.call('ZREM', attention, id)",
  "end",
  "answer[2 * i] = record",
  "answer[2 * i + 1] = record and payloads and redis.call('GET', base .. 'p:' .. id)",
  "end",
  "return answer"
].join("\n");
export interface SuspendKeys {
  readonly suspensions: string;
}
export interface SuspendArgs {
  readonly tool: string;
  readonly suspension: string;
  readonly instead: string;
}
/** Keeps the first suspension of a tool, stamped, until it is lifted. Another one takes only the place it was meant for. Reply: what stands now, as it is kept; done 0: the groups of the tool still have to hear of it. */
export function suspendScript(run: RunScript, keys: SuspendKeys, args: SuspendArgs): Promise<unknown> {
  const out: string[] = ["1", keys.suspensions];
  out.push(``, args.tool, args.suspension, args.instead);
  return run("suspend", out);
}
const suspendLua = [
  "local suspensions = KEYS[1]",
  "local tool = ARGV[2]",
  "local suspension = ARGV[3]",
  "local instead = ARGV[4]",
  "local done = '0'",
  "local old = redis.call('HGET', suspensions, tool)",
  "if old then",
  "local text",
  "done, text = string.match(old, '^%d+|(%d)|(.*)$')",
  "if text ~= instead then return old end",
  "end",
  "local clock = redis.call('TIME')",
  "local at = string.format('%.0f', clock[1] * 1000 + math.floor(clock[2] / 1000))",
  "local stands = at .. '|' .. done .. '|' .. suspension",
  "redis.call('HSET', suspensions, tool, stands)",
  "return stands"
].join("\n");
export interface SuspendedKeys {
  readonly suspensions: string;
}
export interface SuspendedArgs {
  readonly tool: string;
}
/** Notes that every group of a suspended tool has heard of it. Reply: 1, or 0 if it was lifted meanwhile. */
export function suspendedScript(run: RunScript, keys: SuspendedKeys, args: SuspendedArgs): Promise<unknown> {
  const out: string[] = ["1", keys.suspensions];
  out.push(``, args.tool);
  return run("suspended", out);
}
const suspendedLua = [
  "local suspensions = KEYS[1]",
  "local tool = ARGV[2]",
  "local old = redis.call('HGET', suspensions, tool)",
  "if not old then return 0 end",
  "redis.call('HSET', suspensions, tool, (string.gsub(old, '^(%d+)|0', '%1|1', 1)))",
  "return 1"
].join("\n");
export interface SwapKeys {
  readonly marks: string;
  readonly holds: string;
  readonly due: string;
  readonly attention: string;
}
export interface SwapArgs {
  readonly minHw: number;
  readonly ask: boolean;
  readonly notAfter: number;
  readonly lastInstant: number;
  readonly generationOk: boolean;
  readonly known: string;
  readonly changes: readonly ScriptChange[];
}
/** Replaces the expected versions of records of one group, each for itself, or says of each why not. Reply: kind, now, time, count; instead of done: late · changed: the marks are others. Then a list for each change: swapped, version, instant · stale, record, payload · gone, late, generation_changed · broken: to be sent by itself. */
export function swapScript(run: RunScript, keys: SwapKeys, args: SwapArgs): Promise<unknown> {
  const out: string[] = ["4", keys.marks, keys.holds, keys.due, keys.attention];
  out.push(`${args.minHw}|${args.ask ? 1 : 0}|${args.notAfter}|${args.lastInstant}|${args.generationOk ? 1 : 0}|${args.changes.length}`, args.known);
  for (const change of args.changes) pushChange(out, change);
  return run("swap", out);
}
const swapLua = [
  "local marks, holds, due, attention = KEYS[1], KEYS[2], KEYS[3], KEYS[4]",
  "local min_hw, ask, not_after, last_instant, generation_ok, count_1",
  "min_hw, ask, not_after, last_instant, generation_ok, count_1 = string.match(ARGV[1], '^([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)$')",
  "min_hw = tonumber(min_hw)",
  "not_after = tonumber(not_after)",
  "last_instant = tonumber(last_instant)",
  "ask = ask == '1'",
  "generation_ok = generation_ok == '1'",
  "local known = ARGV[2]",
  "local position = 2",
  "local none = {}",
  "local function take(count)",
  "if count == '0' then return none end",
  "local items = {}",
  "for i = 1, count do items[i] = ARGV[position + i] end",
  "position = position + count",
  "return items",
  "end",
  "local function take_changes(count)",
  "if count == '0' then return none end",
  "local items = {}",
  "for i = 1, count do",
  "local change = { id = false, expect = false, token = false, body = false, payload = false, payload_expire = false, due = false, attention = false, since = false, expire = false, add_holds = false, remove_holds = false, history = false, journal = false }",
  "local count_1, count_2, count_3, count_4",
  "change.id, change.expect, change.token, change.payload_expire, change.due, change.attention, change.since, change.expire, count_1, count_2, count_3, count_4 = string.match(ARGV[position + 1], '^([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)$')",
  "change.expect = tonumber(change.expect)",
  "change.payload_expire = tonumber(change.payload_expire)",
  "change.expire = tonumber(change.expire)",
  "change.attention = change.attention == '1'",
  "change.body = ARGV[position + 2]",
  "change.payload = ARGV[position + 3]",
  "position = position + 3",
  "change.add_holds = take(count_1)",
  "change.remove_holds = take(count_2)",
  "change.history = take(count_3)",
  "change.journal = take(count_4)",
  "items[i] = change",
  "end",
  "return items",
  "end",
  "local changes = take_changes(count_1)",
  "local base = string.sub(marks, 1, -2)",
  "local clock = redis.call('TIME')",
  "local time = clock[1] * 1000 + math.floor(clock[2] / 1000)",
  "local found, hw, last = redis.call('GET', marks) or '', -1, 0",
  "if string.sub(found, 1, #known) == known then hw, last = string.match(found, '^(%d+)|(%d+)$', #known + 1) end",
  "hw = tonumber(hw or -1)",
  "local now = math.max(time, tonumber(last or 0))",
  "local changed = hw < min_hw",
  "if ask and not changed then",
  "local run_id = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')",
  "changed = not string.find(known, '|' .. string.sub(run_id, 1, 16) .. '|', 1, true)",
  "end",
  "local left, before, repeated = string.sub(known, -2), hw, false",
  "local function each(items, work)",
  "local answer = { 'done', now, time, hw }",
  "for i, item in ipairs(items) do",
  "local sound, parts = true, nil",
  "if #items == 1 then parts = work(item) else sound, parts = pcall(work, item) end",
  "answer[4 + i] = sound and parts or { 'broken' }",
  "end",
  "if hw > before then",
  "redis.call('SET', marks, string.sub(known, 1, -3) .. left .. hw .. '|' .. now)",
  "elseif repeated then",
  "redis.call('SET', marks, found)",
  "end",
  "answer[4] = hw",
  "return answer",
  "end",
  "if time > not_after then return { 'late', now, time, hw } end",
  "if changed then return { 'changed', now, time, hw } end",
  "if ask then",
  "for _, change in ipairs(changes) do",
  "redis.call('EXISTS', base .. 'r:' .. change.id, base .. 'p:' .. change.id, base .. 'h:' .. change.id, base .. 'j')",
  "end",
  "end",
  "local function swap(change)",
  "local record, payload, history = base .. 'r:' .. change.id, base .. 'p:' .. change.id, base .. 'h:' .. change.id",
  "local old = redis.call('GET', record)",
  "if not old then return { 'gone' } end",
  "local version, at, token, digest, flags = string.match(old, '^(%d+)|(%d+)|([^|]*)|([^|]*)|(%a*)|')",
  "version = tonumber(version)",
  "if token == change.token and version == change.expect + 1 then",
  "repeated = true",
  "return { 'swapped', version, tonumber(at) }",
  "end",
  "if version ~= change.expect then return { 'stale', old, redis.call('GET', payload) } end",
  "if last_instant >= 0 and now > last_instant then return { 'late' } end",
  "if not generation_ok then return { 'generation_changed' } end",
  "version = version + 1",
  "do",
  "local ends = change.expire >= 0 and time + change.expire or 0",
  "local mode = string.byte(change.payload)",
  "local had_payload, had_history = string.find(flags, 'p', 1, true), string.find(flags, 'h', 1, true)",
  "local had_end = string.find(flags, 'e', 1, true)",
  "local kept = (change.due ~= '' and 'd' or '')",
  ".. (change.attention and 'a' or '')",
  ".. ((mode == 43 or mode == 61 and had_payload) and 'p' or '')",
  ".. ((had_history or #change.history > 0) and 'h' or '')",
  ".. (ends > 0 and 'e' or '')",
  "local value = version .. '|' .. now .. '|' .. change.token .. '|' .. digest .. '|' .. kept .. '|' .. change.body",
  "local own_end = change.payload_expire >= 0 and time + change.payload_expire or 0",
  "local function payload_ends() return own_end > 0 and (ends == 0 or own_end < ends) and own_end or ends end",
  "if mode == 43 then",
  "local text = (own_end > 0 and own_end or '0000000000000') .. '|' .. string.sub(change.payload, 2)",
  "local till = payload_ends()",
  "if till > 0 then redis.call('SET', payload, text, 'PXAT', till) else redis.call('SET', payload, text) end",
  "elseif mode == 61 and had_payload and (ends > 0 or had_end or own_end > 0) then",
  "local is_kept = own_end == 0",
  "if is_kept then",
  "own_end = tonumber(redis.call('GETRANGE', payload, 0, 12)) or 0",
  "elseif redis.call('EXISTS', payload) == 1 then",
  "redis.call('SETRANGE', payload, 0, own_end)",
  "end",
  "local till = payload_ends()",
  "if till == 0 then",
  "redis.call('PERSIST', payload)",
  "elseif not is_kept or had_end or till ~= own_end then",
  "redis.call('PEXPIREAT', payload, till)",
  "end",
  "elseif mode == 45 and had_payload then",
  "redis.call('PEXPIRE', payload, 0)",
  "end",
  "for _, line in ipairs(change.history) do redis.call('RPUSH', history, now .. '|' .. line) end",
  "if ends > 0 and (had_history or #change.history > 0) then",
  "redis.call('PEXPIREAT', history, ends)",
  "elseif had_end and had_history then",
  "redis.call('PERSIST', history)",
  "end",
  "if change.due ~= '' then",
  "local at = string.byte(change.due) == 43 and now + string.sub(change.due, 2) or change.due",
  "redis.call('ZADD', due, at, change.id)",
  "elseif string.find(flags, 'd', 1, true) then",
  "redis.call('ZREM', due, change.id)",
  "end",
  "if change.attention then",
  "redis.call('ZADD', attention, 'NX', change.since ~= '' and change.since or now, change.id)",
  "elseif string.find(flags, 'a', 1, true) then",
  "redis.call('ZREM', attention, change.id)",
  "end",
  "for _, entry in ipairs(change.add_holds) do",
  "if redis.call('HSETNX', holds, entry, change.id) == 0 then",
  "local owners = redis.call('HGET', holds, entry)",
  "if not string.find(',' .. owners .. ',', ',' .. change.id .. ',', 1, true) then",
  "redis.call('HSET', holds, entry, owners .. ',' .. change.id)",
  "end",
  "end",
  "end",
  "for _, entry in ipairs(change.remove_holds) do",
  "local owners = redis.call('HGET', holds, entry)",
  "if owners == change.id then",
  "redis.call('HDEL', holds, entry)",
  "elseif owners then",
  "local rest = string.gsub(',' .. owners .. ',', ',' .. string.gsub(change.id, '%W', '%%%0') .. ',', ',')",
  "rest = string.sub(rest, 2, -2)",
  "if rest == '' then redis.call('HDEL', holds, entry) else redis.call('HSET', holds, entry, rest) end",
  "end",
  "end",
  "if #change.journal > 0 then",
  "local about, notes = change.id, change.journal",
  "do",
  "local journal = string.sub(marks, 1, -2) .. 'j'",
  "local number = tonumber(string.match(redis.call('LINDEX', journal, -1) or '', '^%d+') or 0)",
  "for i, note in ipairs(notes) do redis.call('RPUSH', journal, number + i .. '|' .. now .. '|' .. about .. '|' .. note) end",
  "redis.call('LTRIM', journal, -10000, -1)",
  "end",
  "end",
  "if ends > 0 then redis.call('SET', record, value, 'PXAT', ends) else redis.call('SET', record, value) end",
  "if ends > 0 and (change.attention or change.due ~= '') then left = '1|' end",
  "hw = hw + 1",
  "end",
  "return { 'swapped', version, now }",
  "end",
  "return each(changes, swap)"
].join("\n");
export interface TouchKeys {
  readonly marks: string;
  readonly names: string;
}
export interface TouchArgs {
  readonly epoch: string;
  readonly minHw: number;
  readonly runId: string;
  readonly started: number;
  readonly fresh: string;
  readonly lostAt: number;
  readonly who: string;
}
/** Opens a group, or the control slot, for a process: reads its marks, notices a loss, writes the marks anew. Reply: time, marks. */
export function touchScript(run: RunScript, keys: TouchKeys, args: TouchArgs): Promise<unknown> {
  const out: string[] = ["2", keys.marks, keys.names];
  out.push(`${args.epoch}|${args.minHw}|${args.runId}|${args.started}|${args.fresh}|${args.lostAt}`, args.who);
  return run("touch", out);
}
const touchLua = [
  "local marks, names = KEYS[1], KEYS[2]",
  "local epoch, min_hw, run_id, started, fresh, lost_at",
  "epoch, min_hw, run_id, started, fresh, lost_at = string.match(ARGV[1], '^([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)$')",
  "min_hw = tonumber(min_hw)",
  "started = tonumber(started)",
  "lost_at = tonumber(lost_at)",
  "local who = ARGV[2]",
  "local clock = redis.call('TIME')",
  "local time = clock[1] * 1000 + math.floor(clock[2] / 1000)",
  "local found = redis.call('GET', marks)",
  "local was, born, rid, loss, generation, left, hw, last",
  "if found then",
  "was, born, rid, loss, generation, left, hw, last = string.match(found, '^(.-)|(.-)|(.-)|(.-)|(.-)|(.-)|(.-)|(.-)$')",
  "end",
  "local now = math.max(time, tonumber(last or 0))",
  "loss = math.max(tonumber(loss or 0), lost_at)",
  "hw = tonumber(hw or 0)",
  "if run_id == '' then",
  "local info = redis.call('INFO', 'server')",
  "local before = string.match(redis.call('INFO', 'replication'), 'master_replid2:(%w+)') or ''",
  "run_id = string.sub(string.match(info, 'run_id:(%w+)'), 1, 16)",
  "started = string.find(before, '[^0]') and 0 or (clock[1] - string.match(info, 'uptime_in_seconds:(%d+)')) * 1000",
  "end",
  "if rid and rid ~= run_id then",
  "loss = math.max(loss + 1, started > tonumber(last) and math.min(started + 1000, now) or now)",
  "end",
  "if not found then",
  "if epoch ~= '' then loss = math.max(loss, now) end",
  "was, born, generation, left = fresh .. '.' .. clock[1] .. clock[2], now, now, '0'",
  "elseif epoch ~= '' and epoch ~= '*' and epoch ~= was then",
  "loss = math.max(loss, tonumber(born))",
  "elseif epoch == was and hw < min_hw then",
  "loss, hw = math.max(loss + 1, now), min_hw",
  "end",
  "if loss == now then now = now + 1 end",
  "local written = table.concat({ was, born, run_id, loss, generation, left, hw, now }, '|')",
  "redis.call('SET', marks, written)",
  "redis.call('SET', names, who)",
  "return { time, written }"
].join("\n");
/** Text of each script. */
export const SCRIPTS: Readonly<Record<ScriptName, { readonly lua: string }>> = {
  begin: { lua: beginLua },
  due: { lua: dueLua },
  heads: { lua: headsLua },
  journal: { lua: journalLua },
  lift: { lua: liftLua },
  raise: { lua: raiseLua },
  read: { lua: readLua },
  rights: { lua: rightsLua },
  rows: { lua: rowsLua },
  suspend: { lua: suspendLua },
  suspended: { lua: suspendedLua },
  swap: { lua: swapLua },
  touch: { lua: touchLua },
};
