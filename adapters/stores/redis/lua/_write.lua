-- Writing one version of a record: `version|at|token|digest|body`, its payload, history, index entries and holds.
-- The first command of `put` grows memory, so a server without room refuses before anything is written.
local function split(value)
  local version, at, token, digest = string.match(value, '^(%d+)|(%d+)|([^|]*)|([^|]*)|')
  return tonumber(version), tonumber(at), token, digest
end

local function moment(text)
  if string.sub(text, 1, 1) == '+' then return int(now + tonumber(string.sub(text, 2))) end
  return text
end

local function own(entry, id)
  local owners = redis.call('HGET', holds, entry)
  if owners and string.find(',' .. owners .. ',', ',' .. id .. ',', 1, true) then return end
  redis.call('HSET', holds, entry, owners and owners .. ',' .. id or id)
end

local function disown(entry, id)
  local rest = {}
  for owner in string.gmatch(redis.call('HGET', holds, entry) or '', '[^,]+') do
    if owner ~= id then rest[#rest + 1] = owner end
  end
  if #rest > 0 then redis.call('HSET', holds, entry, table.concat(rest, ',')) else redis.call('HDEL', holds, entry) end
end

-- A payload is `<its own end, 13 digits, 0 = none>|text`. '+text' replaces, '-' removes, '=' keeps.
local function put_payload(change, payload, ends)
  local own_end = change.payload_expire >= 0 and time + change.payload_expire or 0
  local mode = string.sub(change.payload, 1, 1)
  if mode == '+' then
    redis.call('SET', payload, string.format('%013.0f|', own_end) .. string.sub(change.payload, 2))
  elseif mode == '-' then
    return redis.call('PEXPIRE', payload, 0)
  else
    local old = redis.call('GETRANGE', payload, 0, 12)
    if old == '' then return end
    if own_end > 0 then redis.call('SETRANGE', payload, 0, string.format('%013.0f', own_end)) end
    if own_end == 0 then own_end = tonumber(old) end
  end
  if own_end > 0 and (ends == 0 or own_end < ends) then ends = own_end end
  if ends > 0 then redis.call('PEXPIREAT', payload, int(ends)) else redis.call('PERSIST', payload) end
end

local function put_history(change, version, history, ends)
  for _, line in ipairs(change.history) do redis.call('RPUSH', history, int(now) .. '|' .. line) end
  if ends > 0 then redis.call('PEXPIREAT', history, int(ends)) elseif version > 1 then redis.call('PERSIST', history) end
end

local function put(change, version, digest, record, payload, history)
  local ends = change.expire >= 0 and time + change.expire or 0
  local value = version .. '|' .. int(now) .. '|' .. change.token .. '|' .. digest .. '|' .. change.body
  if ends > 0 then redis.call('SET', record, value, 'PXAT', int(ends)) else redis.call('SET', record, value) end
  put_payload(change, payload, ends)
  put_history(change, version, history, ends)
  if change.due == '' then redis.call('ZREM', due, change.id) else redis.call('ZADD', due, moment(change.due), change.id) end
  if change.attention then redis.call('ZADD', attention, 'NX', int(now), change.id) else redis.call('ZREM', attention, change.id) end
  for _, entry in ipairs(change.add_holds) do own(entry, change.id) end
  for _, entry in ipairs(change.remove_holds) do disown(entry, change.id) end
  hw = hw + 1
end

local function finish()
  redis.call('HSET', meta, 'hw', int(hw), 'lt', int(now))
end
