-- Writes `change` as `version` of a record `version|at|token|digest|flags|body`, with its payload, history, index entries
-- and holds. Flags tell what else of the record there is, so that what is not there costs no command: `d` due,
-- `a` attention, `p` payload, `h` history, `e` it ends by itself; `flags` are those of the version before.
-- The record comes last: a script that a server breaks off midway leaves the version as it was, and the change is made
-- again as a whole.
local ends = change.expire >= 0 and time + change.expire or 0
local mode = string.byte(change.payload) -- '+text' replaces, '-' removes, '=' keeps
local had_payload, had_history = string.find(flags, 'p', 1, true), string.find(flags, 'h', 1, true)
local had_end = string.find(flags, 'e', 1, true)
local kept = (change.due ~= '' and 'd' or '')
  .. (change.attention and 'a' or '')
  .. ((mode == 43 or mode == 61 and had_payload) and 'p' or '')
  .. ((had_history or #change.history > 0) and 'h' or '')
  .. (ends > 0 and 'e' or '')
local value = version .. '|' .. now .. '|' .. change.token .. '|' .. digest .. '|' .. kept .. '|' .. change.body

-- a payload is `<its own end, 13 digits, 0 = none>|text`, and lives until its own end or that of its record
local own_end = change.payload_expire >= 0 and time + change.payload_expire or 0
local function payload_ends() return own_end > 0 and (ends == 0 or own_end < ends) and own_end or ends end
if mode == 43 then
  local text = (own_end > 0 and own_end or '0000000000000') .. '|' .. string.sub(change.payload, 2)
  local till = payload_ends()
  if till > 0 then redis.call('SET', payload, text, 'PXAT', till) else redis.call('SET', payload, text) end
elseif mode == 61 and had_payload and (ends > 0 or had_end or own_end > 0) then
  local is_kept = own_end == 0
  if is_kept then
    own_end = tonumber(redis.call('GETRANGE', payload, 0, 12)) or 0
  elseif redis.call('EXISTS', payload) == 1 then
    redis.call('SETRANGE', payload, 0, own_end)
  end
  local till = payload_ends()
  -- a kept payload of a record that had no end already lives until its own end
  if till == 0 then
    redis.call('PERSIST', payload)
  elseif not is_kept or had_end or till ~= own_end then
    redis.call('PEXPIREAT', payload, till)
  end
elseif mode == 45 and had_payload then
  redis.call('PEXPIRE', payload, 0)
end

for _, line in ipairs(change.history) do redis.call('RPUSH', history, now .. '|' .. line) end
if ends > 0 and (had_history or #change.history > 0) then
  redis.call('PEXPIREAT', history, ends)
elseif had_end and had_history then
  redis.call('PERSIST', history)
end

if change.due ~= '' then
  local at = string.byte(change.due) == 43 and now + string.sub(change.due, 2) or change.due
  redis.call('ZADD', due, at, change.id)
elseif string.find(flags, 'd', 1, true) then
  redis.call('ZREM', due, change.id)
end
if change.attention then
  redis.call('ZADD', attention, 'NX', change.since ~= '' and change.since or now, change.id)
elseif string.find(flags, 'a', 1, true) then
  redis.call('ZREM', attention, change.id)
end

for _, entry in ipairs(change.add_holds) do
  if redis.call('HSETNX', holds, entry, change.id) == 0 then
    local owners = redis.call('HGET', holds, entry)
    if not string.find(',' .. owners .. ',', ',' .. change.id .. ',', 1, true) then
      redis.call('HSET', holds, entry, owners .. ',' .. change.id)
    end
  end
end
for _, entry in ipairs(change.remove_holds) do
  local owners = redis.call('HGET', holds, entry)
  if owners == change.id then
    redis.call('HDEL', holds, entry)
  elseif owners then
    local rest = string.gsub(',' .. owners .. ',', ',' .. string.gsub(change.id, '%W', '%%%0') .. ',', ',')
    rest = string.sub(rest, 2, -2)
    if rest == '' then redis.call('HDEL', holds, entry) else redis.call('HSET', holds, entry, rest) end
  end
end
if #change.journal > 0 then
  local about, notes = change.id, change.journal
  -- @inline journal
end
if ends > 0 then redis.call('SET', record, value, 'PXAT', ends) else redis.call('SET', record, value) end
if ends > 0 and (change.attention or change.due ~= '') then left = '1|' end
hw = hw + 1
