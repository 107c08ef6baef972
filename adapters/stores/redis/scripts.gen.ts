// Generated from lua/*.lua by scripts/generate-lua.ts. Do not edit.
export type ScriptName = "begin" | "due" | "list" | "read" | "register" | "suspend" | "suspended" | "swap" | "touch";
/** Sends a script: its keys first, then its arguments. */
export type RunScript = (name: ScriptName, keysAndArgs: (string | number)[]) => Promise<unknown>;
export interface ScriptChange {
  readonly id: string;
  readonly expect: number;
  readonly token: string;
  readonly body: string;
  readonly payload: string;
  readonly payloadExpire: number;
  readonly due: string;
  readonly attention: boolean;
  readonly expire: number;
  readonly addHolds: readonly string[];
  readonly removeHolds: readonly string[];
  readonly history: readonly string[];
}
function pushChange(out: (string | number)[], change: ScriptChange): void {
  out.push(change.id);
  out.push(change.expect);
  out.push(change.token);
  out.push(change.body);
  out.push(change.payload);
  out.push(change.payloadExpire);
  out.push(change.due);
  out.push(change.attention ? 1 : 0);
  out.push(change.expire);
  out.push(change.addHolds.length, ...change.addHolds);
  out.push(change.removeHolds.length, ...change.removeHolds);
  out.push(change.history.length, ...change.history);
}
export interface BeginKeys {
  readonly meta: string;
  readonly holds: string;
  readonly due: string;
  readonly attention: string;
  readonly record: string;
  readonly payload: string;
  readonly history: string;
}
export interface BeginArgs {
  readonly epoch: string;
  readonly minHw: number;
  readonly server: string;
  readonly notAfter: number;
  readonly digest: string;
  readonly intent: ScriptChange;
  readonly blockedBy: readonly string[];
  readonly acks: readonly ScriptChange[];
  readonly issuedAt: number;
  readonly maxAge: number;
  readonly adopting: boolean;
}
/** Creates version 1 of a record, or says why not. Applies `acks` (deliveries of earlier operations) on the way. Reply: head, then: exists, mismatch: record, payload · held: entry, owner's id, record, payload · suspect: because. */
export function beginScript(run: RunScript, keys: BeginKeys, args: BeginArgs): Promise<unknown> {
  const out: (string | number)[] = [keys.meta, keys.holds, keys.due, keys.attention, keys.record, keys.payload, keys.history];
  out.push(args.epoch);
  out.push(args.minHw);
  out.push(args.server);
  out.push(args.notAfter);
  out.push(args.digest);
  pushChange(out, args.intent);
  out.push(args.blockedBy.length, ...args.blockedBy);
  out.push(args.acks.length);
  for (const each of args.acks) pushChange(out, each);
  out.push(args.issuedAt);
  out.push(args.maxAge);
  out.push(args.adopting ? 1 : 0);
  return run("begin", out);
}
const beginLua = [
  "local meta, holds, due, attention, record, payload, history = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7]",
  "local position = 0",
  "local function read_text()",
  "position = position + 1",
  "return ARGV[position]",
  "end",
  "local function read_integer() return tonumber(read_text()) end",
  "local function read_flag() return read_text() == '1' end",
  "local function read_list()",
  "local items = {}",
  "for i = 1, tonumber(read_text()) do items[i] = read_text() end",
  "return items",
  "end",
  "local function read_change()",
  "local change = {}",
  "change.id = read_text()",
  "change.expect = read_integer()",
  "change.token = read_text()",
  "change.body = read_text()",
  "change.payload = read_text()",
  "change.payload_expire = read_integer()",
  "change.due = read_text()",
  "change.attention = read_flag()",
  "change.expire = read_integer()",
  "change.add_holds = read_list()",
  "change.remove_holds = read_list()",
  "change.history = read_list()",
  "return change",
  "end",
  "local function read_changes()",
  "local items = {}",
  "for i = 1, tonumber(read_text()) do items[i] = read_change() end",
  "return items",
  "end",
  "local epoch = read_text()",
  "local min_hw = read_integer()",
  "local server = read_text()",
  "local not_after = read_integer()",
  "local digest = read_text()",
  "local intent = read_change()",
  "local blocked_by = read_list()",
  "local acks = read_changes()",
  "local issued_at = read_integer()",
  "local max_age = read_integer()",
  "local adopting = read_flag()",
  "local clock = redis.call('TIME')",
  "local time = clock[1] * 1000 + math.floor(clock[2] / 1000)",
  "local marks = redis.call('HMGET', meta, 'epoch', 'hw', 'lt', 'rid', 'lossAt', 'gen')",
  "local hw, last = tonumber(marks[2] or 0), tonumber(marks[3] or 0)",
  "local loss, generation = tonumber(marks[5] or 0), tonumber(marks[6] or 0)",
  "local now = math.max(time, last)",
  "local function int(number)",
  "return string.format('%.0f', number)",
  "end",
  "local function key(kind, id)",
  "return string.sub(meta, 1, -2) .. kind .. ':' .. id",
  "end",
  "local function reply(kind, ...)",
  "return { kind, now, time, hw, generation, marks[1] or '', loss, ... }",
  "end",
  "local function serving()",
  "local rid, started, skew, fresh = string.match(server, '^(%S+) (%d+) (%d+) (%S+)$')",
  "if rid ~= string.rep('-', 16) then return rid, tonumber(started), tonumber(skew), fresh end",
  "local info = redis.call('INFO', 'server')",
  "rid = string.sub(string.match(info, 'run_id:(%w+)'), 1, 16)",
  "started = (clock[1] - string.match(info, 'uptime_in_seconds:(%d+)')) * 1000",
  "if marks[4] and marks[4] ~= rid then",
  "local before = string.match(redis.call('INFO', 'replication'), 'master_replid2:(%w+)')",
  "if before and string.find(before, '[^0]') then started = 0 end",
  "end",
  "return rid, started, tonumber(skew), fresh",
  "end",
  "local function notice()",
  "local known = epoch == '' or epoch == '*' or epoch == marks[1]",
  "if marks[1] and known and hw >= min_hw and marks[4] == string.sub(server, 1, 16) then return end",
  "local rid, started, skew, fresh = serving()",
  "local before = marks[4]",
  "if before and before ~= rid then loss = math.max(loss, started > last and started + skew or now) end",
  "if not marks[1] then",
  "if epoch ~= '' then loss = math.max(loss, now) end",
  "marks[1] = fresh .. '.' .. clock[1] .. clock[2]",
  "generation = generation + now",
  "redis.call('HSET', meta, 'epoch', marks[1], 'born', int(now), 'gen', int(generation))",
  "elseif not known then",
  "loss = math.max(loss, tonumber(redis.call('HGET', meta, 'born')))",
  "elseif hw < min_hw and epoch == marks[1] then",
  "loss, hw = math.max(loss, now), min_hw",
  "elseif before == rid then",
  "return",
  "end",
  "redis.call('HSET', meta, 'rid', rid, 'lossAt', int(loss), 'hw', int(hw), 'lt', int(now))",
  "end",
  "local function split(value)",
  "local version, at, token, digest = string.match(value, '^(%d+)|(%d+)|([^|]*)|([^|]*)|')",
  "return tonumber(version), tonumber(at), token, digest",
  "end",
  "local function moment(text)",
  "if string.sub(text, 1, 1) == '+' then return int(now + tonumber(string.sub(text, 2))) end",
  "return text",
  "end",
  "local function own(entry, id)",
  "local owners = redis.call('HGET', holds, entry)",
  "if owners and string.find(',' .. owners .. ',', ',' .. id .. ',', 1, true) then return end",
  "redis.call('HSET', holds, entry, owners and owners .. ',' .. id or id)",
  "end",
  "local function disown(entry, id)",
  "local rest = {}",
  "for owner in string.gmatch(redis.call('HGET', holds, entry) or '', '[^,]+') do",
  "if owner ~= id then rest[#rest + 1] = owner end",
  "end",
  "if #rest > 0 then redis.call('HSET', holds, entry, table.concat(rest, ',')) else redis.call('HDEL', holds, entry) end",
  "end",
  "local function put_payload(change, payload, ends)",
  "local own_end = change.payload_expire >= 0 and time + change.payload_expire or 0",
  "local mode = string.sub(change.payload, 1, 1)",
  "if mode == '+' then",
  "redis.call('SET', payload, string.format('%013.0f|', own_end) .. string.sub(change.payload, 2))",
  "elseif mode == '-' then",
  "return redis.call('PEXPIRE', payload, 0)",
  "else",
  "local old = redis.call('GETRANGE', payload, 0, 12)",
  "if old == '' then return end",
  "if own_end > 0 then redis.call('SETRANGE', payload, 0, string.format('%013.0f', own_end)) end",
  "if own_end == 0 then own_end = tonumber(old) end",
  "end",
  "if own_end > 0 and (ends == 0 or own_end < ends) then ends = own_end end",
  "if ends > 0 then redis.call('PEXPIREAT', payload, int(ends)) else redis.call('PERSIST', payload) end",
  "end",
  "local function put_history(change, version, history, ends)",
  "for _, line in ipairs(change.history) do redis.call('RPUSH', history, int(now) .. '|' .. line) end",
  "if ends > 0 then redis.call('PEXPIREAT', history, int(ends)) elseif version > 1 then redis.call('PERSIST', history) end",
  "end",
  "local function put(change, version, digest, record, payload, history)",
  "local ends = change.expire >= 0 and time + change.expire or 0",
  "local value = version .. '|' .. int(now) .. '|' .. change.token .. '|' .. digest .. '|' .. change.body",
  "if ends > 0 then redis.call('SET', record, value, 'PXAT', int(ends)) else redis.call('SET', record, value) end",
  "put_payload(change, payload, ends)",
  "put_history(change, version, history, ends)",
  "if change.due == '' then redis.call('ZREM', due, change.id) else redis.call('ZADD', due, moment(change.due), change.id) end",
  "if change.attention then redis.call('ZADD', attention, 'NX', int(now), change.id) else redis.call('ZREM', attention, change.id) end",
  "for _, entry in ipairs(change.add_holds) do own(entry, change.id) end",
  "for _, entry in ipairs(change.remove_holds) do disown(entry, change.id) end",
  "hw = hw + 1",
  "end",
  "local function finish()",
  "redis.call('HSET', meta, 'hw', int(hw), 'lt', int(now))",
  "end",
  "if time > not_after then return reply('late') end",
  "notice()",
  "local old = redis.call('GET', record)",
  "if old then",
  "local version, at, token, was = split(old)",
  "if token == intent.token and version == 1 then",
  "finish()",
  "now = at",
  "return reply('created')",
  "end",
  "return reply(was == digest and 'exists' or 'mismatch', old, redis.call('GET', payload))",
  "end",
  "local before = hw",
  "for _, ack in ipairs(acks) do",
  "local name = key('r', ack.id)",
  "local found = redis.call('GET', name)",
  "local version, _, _, was = split(found or '0|0|||')",
  "if found and version == ack.expect then put(ack, version + 1, was, name, key('p', ack.id), key('h', ack.id)) end",
  "end",
  "for _, entry in ipairs(blocked_by) do",
  "for owner in string.gmatch(redis.call('HGET', holds, entry) or '', '[^,]+') do",
  "local found = owner ~= intent.id and redis.call('GET', key('r', owner))",
  "if found then",
  "if hw > before then finish() end",
  "return reply('held', entry, owner, found, redis.call('GET', key('p', owner)))",
  "elseif owner ~= intent.id then",
  "disown(entry, owner)",
  "end",
  "end",
  "end",
  "local because = issued_at >= 0 and not adopting",
  "and (issued_at <= loss and 'store_loss' or now - issued_at > max_age and 'intent_too_old')",
  "if not because then put(intent, 1, digest, record, payload, history) end",
  "if hw > before then finish() end",
  "return because and reply('suspect', because) or reply('created')"
].join("\n");
export interface DueKeys {
  readonly meta: string;
  readonly due: string;
  readonly attention: string;
}
export interface DueArgs {
  readonly epoch: string;
  readonly minHw: number;
  readonly server: string;
  readonly limit: number;
}
/** Ids whose time has come, oldest first. Entries of expired records are swept out. Reply: head, then: id, ms, id, ms .... */
export function dueScript(run: RunScript, keys: DueKeys, args: DueArgs): Promise<unknown> {
  const out: (string | number)[] = [keys.meta, keys.due, keys.attention];
  out.push(args.epoch);
  out.push(args.minHw);
  out.push(args.server);
  out.push(args.limit);
  return run("due", out);
}
const dueLua = [
  "local meta, due, attention = KEYS[1], KEYS[2], KEYS[3]",
  "local position = 0",
  "local function read_text()",
  "position = position + 1",
  "return ARGV[position]",
  "end",
  "local function read_integer() return tonumber(read_text()) end",
  "local epoch = read_text()",
  "local min_hw = read_integer()",
  "local server = read_text()",
  "local limit = read_integer()",
  "local clock = redis.call('TIME')",
  "local time = clock[1] * 1000 + math.floor(clock[2] / 1000)",
  "local marks = redis.call('HMGET', meta, 'epoch', 'hw', 'lt', 'rid', 'lossAt', 'gen')",
  "local hw, last = tonumber(marks[2] or 0), tonumber(marks[3] or 0)",
  "local loss, generation = tonumber(marks[5] or 0), tonumber(marks[6] or 0)",
  "local now = math.max(time, last)",
  "local function int(number)",
  "return string.format('%.0f', number)",
  "end",
  "local function key(kind, id)",
  "return string.sub(meta, 1, -2) .. kind .. ':' .. id",
  "end",
  "local function reply(kind, ...)",
  "return { kind, now, time, hw, generation, marks[1] or '', loss, ... }",
  "end",
  "local function serving()",
  "local rid, started, skew, fresh = string.match(server, '^(%S+) (%d+) (%d+) (%S+)$')",
  "if rid ~= string.rep('-', 16) then return rid, tonumber(started), tonumber(skew), fresh end",
  "local info = redis.call('INFO', 'server')",
  "rid = string.sub(string.match(info, 'run_id:(%w+)'), 1, 16)",
  "started = (clock[1] - string.match(info, 'uptime_in_seconds:(%d+)')) * 1000",
  "if marks[4] and marks[4] ~= rid then",
  "local before = string.match(redis.call('INFO', 'replication'), 'master_replid2:(%w+)')",
  "if before and string.find(before, '[^0]') then started = 0 end",
  "end",
  "return rid, started, tonumber(skew), fresh",
  "end",
  "local function notice()",
  "local known = epoch == '' or epoch == '*' or epoch == marks[1]",
  "if marks[1] and known and hw >= min_hw and marks[4] == string.sub(server, 1, 16) then return end",
  "local rid, started, skew, fresh = serving()",
  "local before = marks[4]",
  "if before and before ~= rid then loss = math.max(loss, started > last and started + skew or now) end",
  "if not marks[1] then",
  "if epoch ~= '' then loss = math.max(loss, now) end",
  "marks[1] = fresh .. '.' .. clock[1] .. clock[2]",
  "generation = generation + now",
  "redis.call('HSET', meta, 'epoch', marks[1], 'born', int(now), 'gen', int(generation))",
  "elseif not known then",
  "loss = math.max(loss, tonumber(redis.call('HGET', meta, 'born')))",
  "elseif hw < min_hw and epoch == marks[1] then",
  "loss, hw = math.max(loss, now), min_hw",
  "elseif before == rid then",
  "return",
  "end",
  "redis.call('HSET', meta, 'rid', rid, 'lossAt', int(loss), 'hw', int(hw), 'lt', int(now))",
  "end",
  "notice()",
  "local answer = reply('due')",
  "local found = redis.call('ZRANGEBYSCORE', due, '-inf', int(now), 'WITHSCORES', 'LIMIT', 0, limit)",
  "for i = 1, #found, 2 do",
  "if redis.call('EXISTS', key('r', found[i])) == 1 then",
  "answer[#answer + 1] = found[i]",
  "answer[#answer + 1] = found[i + 1]",
  "else",
  "redis.call('ZREM', due, found[i])",
  "redis.call('ZREM', attention, found[i])",
  "end",
  "end",
  "return answer"
].join("\n");
export interface ListKeys {
  readonly meta: string;
  readonly index: string;
}
export interface ListArgs {
  readonly from: string;
  readonly after: string;
  readonly limit: number;
}
/** A stretch of one index in its order, with the records. Entries of expired records are swept out and shown as nil. Reply: head, then: id, ms, record, payload, id, ms, record, payload .... */
export function listScript(run: RunScript, keys: ListKeys, args: ListArgs): Promise<unknown> {
  const out: (string | number)[] = [keys.meta, keys.index];
  out.push(args.from);
  out.push(args.after);
  out.push(args.limit);
  return run("list", out);
}
const listLua = [
  "local meta, index = KEYS[1], KEYS[2]",
  "local position = 0",
  "local function read_text()",
  "position = position + 1",
  "return ARGV[position]",
  "end",
  "local function read_integer() return tonumber(read_text()) end",
  "local from = read_text()",
  "local after = read_text()",
  "local limit = read_integer()",
  "local clock = redis.call('TIME')",
  "local time = clock[1] * 1000 + math.floor(clock[2] / 1000)",
  "local marks = redis.call('HMGET', meta, 'epoch', 'hw', 'lt', 'rid', 'lossAt', 'gen')",
  "local hw, last = tonumber(marks[2] or 0), tonumber(marks[3] or 0)",
  "local loss, generation = tonumber(marks[5] or 0), tonumber(marks[6] or 0)",
  "local now = math.max(time, last)",
  "local function int(number)",
  "return string.format('%.0f', number)",
  "end",
  "local function key(kind, id)",
  "return string.sub(meta, 1, -2) .. kind .. ':' .. id",
  "end",
  "local function reply(kind, ...)",
  "return { kind, now, time, hw, generation, marks[1] or '', loss, ... }",
  "end",
  "local start = 0",
  "if from ~= '' then",
  "local score = redis.call('ZSCORE', index, after)",
  "if score and tonumber(score) == tonumber(from) then",
  "start = redis.call('ZRANK', index, after) + 1",
  "else",
  "start = redis.call('ZCOUNT', index, '-inf', '(' .. from)",
  "end",
  "end",
  "local answer = reply('list')",
  "local found = redis.call('ZRANGE', index, start, start + limit - 1, 'WITHSCORES')",
  "for i = 1, #found, 2 do",
  "local record = redis.call('GET', key('r', found[i]))",
  "if not record then redis.call('ZREM', index, found[i]) end",
  "answer[#answer + 1] = found[i]",
  "answer[#answer + 1] = found[i + 1]",
  "answer[#answer + 1] = record",
  "answer[#answer + 1] = redis.call('GET', key('p', found[i]))",
  "end",
  "return answer"
].join("\n");
export interface ReadKeys {
  readonly meta: string;
  readonly record: string;
  readonly payload: string;
}
export interface ReadArgs {

}
/** One record with its payload, and the clock as it was before the read. Reply: head, then: record, payload, names of the group. */
export function readScript(run: RunScript, keys: ReadKeys, args: ReadArgs): Promise<unknown> {
  const out: (string | number)[] = [keys.meta, keys.record, keys.payload];
  return run("read", out);
}
const readLua = [
  "local meta, record, payload = KEYS[1], KEYS[2], KEYS[3]",
  "local clock = redis.call('TIME')",
  "local time = clock[1] * 1000 + math.floor(clock[2] / 1000)",
  "local marks = redis.call('HMGET', meta, 'epoch', 'hw', 'lt', 'rid', 'lossAt', 'gen')",
  "local hw, last = tonumber(marks[2] or 0), tonumber(marks[3] or 0)",
  "local loss, generation = tonumber(marks[5] or 0), tonumber(marks[6] or 0)",
  "local now = math.max(time, last)",
  "local function int(number)",
  "return string.format('%.0f', number)",
  "end",
  "local function key(kind, id)",
  "return string.sub(meta, 1, -2) .. kind .. ':' .. id",
  "end",
  "local function reply(kind, ...)",
  "return { kind, now, time, hw, generation, marks[1] or '', loss, ... }",
  "end",
  "return reply('read', redis.call('GET', record), redis.call('GET', payload), redis.call('HGET', meta, 'who'))"
].join("\n");
export interface RegisterKeys {
  readonly meta: string;
  readonly groups: string;
}
export interface RegisterArgs {
  readonly epoch: string;
  readonly minHw: number;
  readonly server: string;
  readonly tag: string;
  readonly who: string;
  readonly lostAt: number;
}
/** Enters a group in the registry, and keeps the marks of the control slot, which stand for the store as a whole. Reply: head. */
export function registerScript(run: RunScript, keys: RegisterKeys, args: RegisterArgs): Promise<unknown> {
  const out: (string | number)[] = [keys.meta, keys.groups];
  out.push(args.epoch);
  out.push(args.minHw);
  out.push(args.server);
  out.push(args.tag);
  out.push(args.who);
  out.push(args.lostAt);
  return run("register", out);
}
const registerLua = [
  "local meta, groups = KEYS[1], KEYS[2]",
  "local position = 0",
  "local function read_text()",
  "position = position + 1",
  "return ARGV[position]",
  "end",
  "local function read_integer() return tonumber(read_text()) end",
  "local epoch = read_text()",
  "local min_hw = read_integer()",
  "local server = read_text()",
  "local tag = read_text()",
  "local who = read_text()",
  "local lost_at = read_integer()",
  "local clock = redis.call('TIME')",
  "local time = clock[1] * 1000 + math.floor(clock[2] / 1000)",
  "local marks = redis.call('HMGET', meta, 'epoch', 'hw', 'lt', 'rid', 'lossAt', 'gen')",
  "local hw, last = tonumber(marks[2] or 0), tonumber(marks[3] or 0)",
  "local loss, generation = tonumber(marks[5] or 0), tonumber(marks[6] or 0)",
  "local now = math.max(time, last)",
  "local function int(number)",
  "return string.format('%.0f', number)",
  "end",
  "local function key(kind, id)",
  "return string.sub(meta, 1, -2) .. kind .. ':' .. id",
  "end",
  "local function reply(kind, ...)",
  "return { kind, now, time, hw, generation, marks[1] or '', loss, ... }",
  "end",
  "local function serving()",
  "local rid, started, skew, fresh = string.match(server, '^(%S+) (%d+) (%d+) (%S+)$')",
  "if rid ~= string.rep('-', 16) then return rid, tonumber(started), tonumber(skew), fresh end",
  "local info = redis.call('INFO', 'server')",
  "rid = string.sub(string.match(info, 'run_id:(%w+)'), 1, 16)",
  "started = (clock[1] - string.match(info, 'uptime_in_seconds:(%d+)')) * 1000",
  "if marks[4] and marks[4] ~= rid then",
  "local before = string.match(redis.call('INFO', 'replication'), 'master_replid2:(%w+)')",
  "if before and string.find(before, '[^0]') then started = 0 end",
  "end",
  "return rid, started, tonumber(skew), fresh",
  "end",
  "local function notice()",
  "local known = epoch == '' or epoch == '*' or epoch == marks[1]",
  "if marks[1] and known and hw >= min_hw and marks[4] == string.sub(server, 1, 16) then return end",
  "local rid, started, skew, fresh = serving()",
  "local before = marks[4]",
  "if before and before ~= rid then loss = math.max(loss, started > last and started + skew or now) end",
  "if not marks[1] then",
  "if epoch ~= '' then loss = math.max(loss, now) end",
  "marks[1] = fresh .. '.' .. clock[1] .. clock[2]",
  "generation = generation + now",
  "redis.call('HSET', meta, 'epoch', marks[1], 'born', int(now), 'gen', int(generation))",
  "elseif not known then",
  "loss = math.max(loss, tonumber(redis.call('HGET', meta, 'born')))",
  "elseif hw < min_hw and epoch == marks[1] then",
  "loss, hw = math.max(loss, now), min_hw",
  "elseif before == rid then",
  "return",
  "end",
  "redis.call('HSET', meta, 'rid', rid, 'lossAt', int(loss), 'hw', int(hw), 'lt', int(now))",
  "end",
  "notice()",
  "if lost_at > loss then",
  "loss = lost_at",
  "redis.call('HSET', meta, 'lossAt', int(loss))",
  "end",
  "if tag ~= '' and redis.call('HSETNX', groups, tag, who) == 1 then",
  "hw = hw + 1",
  "redis.call('HSET', meta, 'hw', int(hw), 'lt', int(now))",
  "end",
  "return reply('registered')"
].join("\n");
export interface SuspendKeys {
  readonly suspensions: string;
}
export interface SuspendArgs {
  readonly tool: string;
  readonly suspension: string;
}
/** Keeps the first suspension of a tool, stamped, until it is lifted. Reply: 1 if the groups of the tool still have to hear of it, else 0. */
export function suspendScript(run: RunScript, keys: SuspendKeys, args: SuspendArgs): Promise<unknown> {
  const out: (string | number)[] = [keys.suspensions];
  out.push(args.tool);
  out.push(args.suspension);
  return run("suspend", out);
}
const suspendLua = [
  "local suspensions = KEYS[1]",
  "local position = 0",
  "local function read_text()",
  "position = position + 1",
  "return ARGV[position]",
  "end",
  "local tool = read_text()",
  "local suspension = read_text()",
  "local old = redis.call('HGET', suspensions, tool)",
  "if old then return string.match(old, '^%d+|(%d)') == '1' and 0 or 1 end",
  "local clock = redis.call('TIME')",
  "local at = string.format('%.0f', clock[1] * 1000 + math.floor(clock[2] / 1000))",
  "redis.call('HSET', suspensions, tool, at .. '|0|' .. suspension)",
  "return 1"
].join("\n");
export interface SuspendedKeys {
  readonly suspensions: string;
}
export interface SuspendedArgs {
  readonly tool: string;
}
/** Notes that every group of a suspended tool has heard of it. Reply: 1, or 0 if it was lifted meanwhile. */
export function suspendedScript(run: RunScript, keys: SuspendedKeys, args: SuspendedArgs): Promise<unknown> {
  const out: (string | number)[] = [keys.suspensions];
  out.push(args.tool);
  return run("suspended", out);
}
const suspendedLua = [
  "local suspensions = KEYS[1]",
  "local position = 0",
  "local function read_text()",
  "position = position + 1",
  "return ARGV[position]",
  "end",
  "local tool = read_text()",
  "local old = redis.call('HGET', suspensions, tool)",
  "if not old then return 0 end",
  "redis.call('HSET', suspensions, tool, (string.gsub(old, '^(%d+)|0', '%1|1', 1)))",
  "return 1"
].join("\n");
export interface SwapKeys {
  readonly meta: string;
  readonly holds: string;
  readonly due: string;
  readonly attention: string;
  readonly record: string;
  readonly payload: string;
  readonly history: string;
}
export interface SwapArgs {
  readonly epoch: string;
  readonly minHw: number;
  readonly server: string;
  readonly notAfter: number;
  readonly change: ScriptChange;
  readonly lastInstant: number;
  readonly ifGeneration: number;
}
/** Replaces the expected version of a record, or says why not. Reply: head, then: swapped: version · stale: record, payload. */
export function swapScript(run: RunScript, keys: SwapKeys, args: SwapArgs): Promise<unknown> {
  const out: (string | number)[] = [keys.meta, keys.holds, keys.due, keys.attention, keys.record, keys.payload, keys.history];
  out.push(args.epoch);
  out.push(args.minHw);
  out.push(args.server);
  out.push(args.notAfter);
  pushChange(out, args.change);
  out.push(args.lastInstant);
  out.push(args.ifGeneration);
  return run("swap", out);
}
const swapLua = [
  "local meta, holds, due, attention, record, payload, history = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7]",
  "local position = 0",
  "local function read_text()",
  "position = position + 1",
  "return ARGV[position]",
  "end",
  "local function read_integer() return tonumber(read_text()) end",
  "local function read_flag() return read_text() == '1' end",
  "local function read_list()",
  "local items = {}",
  "for i = 1, tonumber(read_text()) do items[i] = read_text() end",
  "return items",
  "end",
  "local function read_change()",
  "local change = {}",
  "change.id = read_text()",
  "change.expect = read_integer()",
  "change.token = read_text()",
  "change.body = read_text()",
  "change.payload = read_text()",
  "change.payload_expire = read_integer()",
  "change.due = read_text()",
  "change.attention = read_flag()",
  "change.expire = read_integer()",
  "change.add_holds = read_list()",
  "change.remove_holds = read_list()",
  "change.history = read_list()",
  "return change",
  "end",
  "local epoch = read_text()",
  "local min_hw = read_integer()",
  "local server = read_text()",
  "local not_after = read_integer()",
  "local change = read_change()",
  "local last_instant = read_integer()",
  "local if_generation = read_integer()",
  "local clock = redis.call('TIME')",
  "local time = clock[1] * 1000 + math.floor(clock[2] / 1000)",
  "local marks = redis.call('HMGET', meta, 'epoch', 'hw', 'lt', 'rid', 'lossAt', 'gen')",
  "local hw, last = tonumber(marks[2] or 0), tonumber(marks[3] or 0)",
  "local loss, generation = tonumber(marks[5] or 0), tonumber(marks[6] or 0)",
  "local now = math.max(time, last)",
  "local function int(number)",
  "return string.format('%.0f', number)",
  "end",
  "local function key(kind, id)",
  "return string.sub(meta, 1, -2) .. kind .. ':' .. id",
  "end",
  "local function reply(kind, ...)",
  "return { kind, now, time, hw, generation, marks[1] or '', loss, ... }",
  "end",
  "local function serving()",
  "local rid, started, skew, fresh = string.match(server, '^(%S+) (%d+) (%d+) (%S+)$')",
  "if rid ~= string.rep('-', 16) then return rid, tonumber(started), tonumber(skew), fresh end",
  "local info = redis.call('INFO', 'server')",
  "rid = string.sub(string.match(info, 'run_id:(%w+)'), 1, 16)",
  "started = (clock[1] - string.match(info, 'uptime_in_seconds:(%d+)')) * 1000",
  "if marks[4] and marks[4] ~= rid then",
  "local before = string.match(redis.call('INFO', 'replication'), 'master_replid2:(%w+)')",
  "if before and string.find(before, '[^0]') then started = 0 end",
  "end",
  "return rid, started, tonumber(skew), fresh",
  "end",
  "local function notice()",
  "local known = epoch == '' or epoch == '*' or epoch == marks[1]",
  "if marks[1] and known and hw >= min_hw and marks[4] == string.sub(server, 1, 16) then return end",
  "local rid, started, skew, fresh = serving()",
  "local before = marks[4]",
  "if before and before ~= rid then loss = math.max(loss, started > last and started + skew or now) end",
  "if not marks[1] then",
  "if epoch ~= '' then loss = math.max(loss, now) end",
  "marks[1] = fresh .. '.' .. clock[1] .. clock[2]",
  "generation = generation + now",
  "redis.call('HSET', meta, 'epoch', marks[1], 'born', int(now), 'gen', int(generation))",
  "elseif not known then",
  "loss = math.max(loss, tonumber(redis.call('HGET', meta, 'born')))",
  "elseif hw < min_hw and epoch == marks[1] then",
  "loss, hw = math.max(loss, now), min_hw",
  "elseif before == rid then",
  "return",
  "end",
  "redis.call('HSET', meta, 'rid', rid, 'lossAt', int(loss), 'hw', int(hw), 'lt', int(now))",
  "end",
  "local function split(value)",
  "local version, at, token, digest = string.match(value, '^(%d+)|(%d+)|([^|]*)|([^|]*)|')",
  "return tonumber(version), tonumber(at), token, digest",
  "end",
  "local function moment(text)",
  "if string.sub(text, 1, 1) == '+' then return int(now + tonumber(string.sub(text, 2))) end",
  "return text",
  "end",
  "local function own(entry, id)",
  "local owners = redis.call('HGET', holds, entry)",
  "if owners and string.find(',' .. owners .. ',', ',' .. id .. ',', 1, true) then return end",
  "redis.call('HSET', holds, entry, owners and owners .. ',' .. id or id)",
  "end",
  "local function disown(entry, id)",
  "local rest = {}",
  "for owner in string.gmatch(redis.call('HGET', holds, entry) or '', '[^,]+') do",
  "if owner ~= id then rest[#rest + 1] = owner end",
  "end",
  "if #rest > 0 then redis.call('HSET', holds, entry, table.concat(rest, ',')) else redis.call('HDEL', holds, entry) end",
  "end",
  "local function put_payload(change, payload, ends)",
  "local own_end = change.payload_expire >= 0 and time + change.payload_expire or 0",
  "local mode = string.sub(change.payload, 1, 1)",
  "if mode == '+' then",
  "redis.call('SET', payload, string.format('%013.0f|', own_end) .. string.sub(change.payload, 2))",
  "elseif mode == '-' then",
  "return redis.call('PEXPIRE', payload, 0)",
  "else",
  "local old = redis.call('GETRANGE', payload, 0, 12)",
  "if old == '' then return end",
  "if own_end > 0 then redis.call('SETRANGE', payload, 0, string.format('%013.0f', own_end)) end",
  "if own_end == 0 then own_end = tonumber(old) end",
  "end",
  "if own_end > 0 and (ends == 0 or own_end < ends) then ends = own_end end",
  "if ends > 0 then redis.call('PEXPIREAT', payload, int(ends)) else redis.call('PERSIST', payload) end",
  "end",
  "local function put_history(change, version, history, ends)",
  "for _, line in ipairs(change.history) do redis.call('RPUSH', history, int(now) .. '|' .. line) end",
  "if ends > 0 then redis.call('PEXPIREAT', history, int(ends)) elseif version > 1 then redis.call('PERSIST', history) end",
  "end",
  "local function put(change, version, digest, record, payload, history)",
  "local ends = change.expire >= 0 and time + change.expire or 0",
  "local value = version .. '|' .. int(now) .. '|' .. change.token .. '|' .. digest .. '|' .. change.body",
  "if ends > 0 then redis.call('SET', record, value, 'PXAT', int(ends)) else redis.call('SET', record, value) end",
  "put_payload(change, payload, ends)",
  "put_history(change, version, history, ends)",
  "if change.due == '' then redis.call('ZREM', due, change.id) else redis.call('ZADD', due, moment(change.due), change.id) end",
  "if change.attention then redis.call('ZADD', attention, 'NX', int(now), change.id) else redis.call('ZREM', attention, change.id) end",
  "for _, entry in ipairs(change.add_holds) do own(entry, change.id) end",
  "for _, entry in ipairs(change.remove_holds) do disown(entry, change.id) end",
  "hw = hw + 1",
  "end",
  "local function finish()",
  "redis.call('HSET', meta, 'hw', int(hw), 'lt', int(now))",
  "end",
  "if time > not_after then return reply('late') end",
  "notice()",
  "local old = redis.call('GET', record)",
  "if not old then return reply('gone') end",
  "local version, at, token, digest = split(old)",
  "if token == change.token and version == change.expect + 1 then",
  "finish()",
  "now = at",
  "return reply('swapped', version)",
  "end",
  "if version ~= change.expect then return reply('stale', old, redis.call('GET', payload)) end",
  "if last_instant >= 0 and now > last_instant then return reply('late') end",
  "if if_generation >= 0 and if_generation ~= generation then return reply('generation_changed') end",
  "put(change, version + 1, digest, record, payload, history)",
  "finish()",
  "return reply('swapped', version + 1)"
].join("\n");
export interface TouchKeys {
  readonly meta: string;
}
export interface TouchArgs {
  readonly epoch: string;
  readonly minHw: number;
  readonly server: string;
  readonly who: string;
  readonly lostAt: number;
}
/** Opens a group for a process: checks its marks, writes them if it is new, passes on a loss known elsewhere. Reply: head. */
export function touchScript(run: RunScript, keys: TouchKeys, args: TouchArgs): Promise<unknown> {
  const out: (string | number)[] = [keys.meta];
  out.push(args.epoch);
  out.push(args.minHw);
  out.push(args.server);
  out.push(args.who);
  out.push(args.lostAt);
  return run("touch", out);
}
const touchLua = [
  "local meta = KEYS[1]",
  "local position = 0",
  "local function read_text()",
  "position = position + 1",
  "return ARGV[position]",
  "end",
  "local function read_integer() return tonumber(read_text()) end",
  "local epoch = read_text()",
  "local min_hw = read_integer()",
  "local server = read_text()",
  "local who = read_text()",
  "local lost_at = read_integer()",
  "local clock = redis.call('TIME')",
  "local time = clock[1] * 1000 + math.floor(clock[2] / 1000)",
  "local marks = redis.call('HMGET', meta, 'epoch', 'hw', 'lt', 'rid', 'lossAt', 'gen')",
  "local hw, last = tonumber(marks[2] or 0), tonumber(marks[3] or 0)",
  "local loss, generation = tonumber(marks[5] or 0), tonumber(marks[6] or 0)",
  "local now = math.max(time, last)",
  "local function int(number)",
  "return string.format('%.0f', number)",
  "end",
  "local function key(kind, id)",
  "return string.sub(meta, 1, -2) .. kind .. ':' .. id",
  "end",
  "local function reply(kind, ...)",
  "return { kind, now, time, hw, generation, marks[1] or '', loss, ... }",
  "end",
  "local function serving()",
  "local rid, started, skew, fresh = string.match(server, '^(%S+) (%d+) (%d+) (%S+)$')",
  "if rid ~= string.rep('-', 16) then return rid, tonumber(started), tonumber(skew), fresh end",
  "local info = redis.call('INFO', 'server')",
  "rid = string.sub(string.match(info, 'run_id:(%w+)'), 1, 16)",
  "started = (clock[1] - string.match(info, 'uptime_in_seconds:(%d+)')) * 1000",
  "if marks[4] and marks[4] ~= rid then",
  "local before = string.match(redis.call('INFO', 'replication'), 'master_replid2:(%w+)')",
  "if before and string.find(before, '[^0]') then started = 0 end",
  "end",
  "return rid, started, tonumber(skew), fresh",
  "end",
  "local function notice()",
  "local known = epoch == '' or epoch == '*' or epoch == marks[1]",
  "if marks[1] and known and hw >= min_hw and marks[4] == string.sub(server, 1, 16) then return end",
  "local rid, started, skew, fresh = serving()",
  "local before = marks[4]",
  "if before and before ~= rid then loss = math.max(loss, started > last and started + skew or now) end",
  "if not marks[1] then",
  "if epoch ~= '' then loss = math.max(loss, now) end",
  "marks[1] = fresh .. '.' .. clock[1] .. clock[2]",
  "generation = generation + now",
  "redis.call('HSET', meta, 'epoch', marks[1], 'born', int(now), 'gen', int(generation))",
  "elseif not known then",
  "loss = math.max(loss, tonumber(redis.call('HGET', meta, 'born')))",
  "elseif hw < min_hw and epoch == marks[1] then",
  "loss, hw = math.max(loss, now), min_hw",
  "elseif before == rid then",
  "return",
  "end",
  "redis.call('HSET', meta, 'rid', rid, 'lossAt', int(loss), 'hw', int(hw), 'lt', int(now))",
  "end",
  "notice()",
  "loss = math.max(loss, lost_at)",
  "redis.call('HSET', meta, 'who', who, 'lossAt', int(loss), 'lt', int(now))",
  "return reply('touched')"
].join("\n");
/** Text and number of keys of each script. */
export const SCRIPTS: Readonly<Record<ScriptName, { readonly lua: string; readonly numberOfKeys: number }>> = {
  begin: { lua: beginLua, numberOfKeys: 7 },
  due: { lua: dueLua, numberOfKeys: 3 },
  list: { lua: listLua, numberOfKeys: 2 },
  read: { lua: readLua, numberOfKeys: 3 },
  register: { lua: registerLua, numberOfKeys: 2 },
  suspend: { lua: suspendLua, numberOfKeys: 1 },
  suspended: { lua: suspendedLua, numberOfKeys: 1 },
  swap: { lua: swapLua, numberOfKeys: 7 },
  touch: { lua: touchLua, numberOfKeys: 1 },
};
