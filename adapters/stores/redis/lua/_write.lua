-- Writing one version of a record, `version|at|token|digest|flags|body`, with its payload, history, index entries and
-- holds. Flags tell what else of the record there is, so that what is not there costs no command: `d` due, `a`
-- attention, `p` payload, `h` history, `e` it ends by itself.
-- The first command of `put` grows memory: a server without room refuses before anything is written.
local function split(value)
  local version, at, token, digest, flags = string.match(value, '^(%d+)|(%d+)|([^|]*)|([^|]*)|(%a*)|')
  return tonumber(version), tonumber(at), token, digest, flags
end

-- `1|` once an expired record may have left index entries behind
local left = string.sub(known, -2)

local function has(flags, flag)
  return string.find(flags, flag, 1, true)
end

local function own(entry, id)
  if redis.call('HSETNX', holds, entry, id) == 1 then return end
  local owners = redis.call('HGET', holds, entry)
  if not has(',' .. owners .. ',', ',' .. id .. ',') then redis.call('HSET', holds, entry, owners .. ',' .. id) end
end

local function disown(entry, id)
  local owners = redis.call('HGET', holds, entry)
  if owners == id then return redis.call('HDEL', holds, entry) end
  if not owners or not has(',' .. owners .. ',', ',' .. id .. ',') then return end
  local rest = {}
  for owner in string.gmatch(owners, '[^,]+') do
    if owner ~= id then rest[#rest + 1] = owner end
  end
  redis.call('HSET', holds, entry, table.concat(rest, ','))
end

-- A payload is `<its own end, 13 digits, 0 = none>|text`. '+text' replaces, '-' removes, '=' keeps.
local function put_payload(change, flags, payload, ends)
  local own_end = change.payload_expire >= 0 and time + change.payload_expire or 0
  local mode = string.sub(change.payload, 1, 1)
  if mode == '+' then
    redis.call('SET', payload, string.format('%013.0f|', own_end) .. string.sub(change.payload, 2))
  elseif not has(flags, 'p') then
    return
  elseif mode == '-' then
    return redis.call('PEXPIRE', payload, 0)
  elseif own_end > 0 then
    if redis.call('EXISTS', payload) == 0 then return end
    redis.call('SETRANGE', payload, 0, string.format('%013.0f', own_end))
  elseif ends > 0 or has(flags, 'e') then
    own_end = tonumber(redis.call('GETRANGE', payload, 0, 12)) or 0
  else
    return
  end
  if own_end > 0 and (ends == 0 or own_end < ends) then ends = own_end end
  if ends > 0 then redis.call('PEXPIREAT', payload, ends) elseif mode == '=' then redis.call('PERSIST', payload) end
end

local function put_history(change, flags, history, ends)
  for _, line in ipairs(change.history) do redis.call('RPUSH', history, now .. '|' .. line) end
  if #change.history == 0 and not has(flags, 'h') then return end
  if ends > 0 then redis.call('PEXPIREAT', history, ends) elseif has(flags, 'e') then redis.call('PERSIST', history) end
end

local function put_indexes(change, flags)
  if change.due ~= '' then
    local at = string.byte(change.due) == 43 and now + string.sub(change.due, 2) or change.due
    redis.call('ZADD', due, at, change.id)
  elseif has(flags, 'd') then
    redis.call('ZREM', due, change.id)
  end
  if change.attention then
    redis.call('ZADD', attention, 'NX', now, change.id)
  elseif has(flags, 'a') then
    redis.call('ZREM', attention, change.id)
  end
end

local function put(change, version, digest, flags, record, payload, history)
  local ends = change.expire >= 0 and time + change.expire or 0
  local mode = string.byte(change.payload)
  local kept = (change.due ~= '' and 'd' or '')
    .. (change.attention and 'a' or '')
    .. ((mode == 43 or mode == 61 and has(flags, 'p')) and 'p' or '')
    .. ((#change.history > 0 or has(flags, 'h')) and 'h' or '')
    .. (ends > 0 and 'e' or '')
  local value = table.concat({ version, now, change.token, digest, kept, change.body }, '|')
  if ends > 0 then redis.call('SET', record, value, 'PXAT', ends) else redis.call('SET', record, value) end
  put_payload(change, flags, payload, ends)
  put_history(change, flags, history, ends)
  put_indexes(change, flags)
  for _, entry in ipairs(change.add_holds) do own(entry, change.id) end
  for _, entry in ipairs(change.remove_holds) do disown(entry, change.id) end
  if ends > 0 and (change.attention or change.due ~= '') then left = '1|' end
  hw = hw + 1
end

local function finish()
  redis.call('SET', marks, string.sub(known, 1, -3) .. left .. hw .. '|' .. now)
end
