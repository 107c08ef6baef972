-- Creates version 1 of a record, or says why not. Applies `acks` (deliveries of earlier operations) on the way.
-- @key marks       string  see _group.lua
-- @key holds       hash    hold entry -> ids of its owners
-- @key due         zset    id -> ms
-- @key attention   zset    id -> ms
-- @key record      string
-- @key payload     string
-- @key history     list
-- (the keys of the records named by `acks`, and of the owner of a hold, are computed from `marks`, in the same slot)
-- @arg min_hw: integer     the highest count that the client saw
-- @arg ask: flag           the run id has to be asked for
-- @arg not_after: integer  ms of the server's clock: a request that arrives later is a ghost
-- @arg lost: flag          under these marks the intent is suspect
-- @arg good_until: integer ms of the group's clock; -1 = no limit
-- @arg id: word
-- @arg due_at: word        '' none, '123' instant in ms, '+123' ms from now
-- @arg queued: flag        in the attention index
-- @arg known: text         head of the marks
-- @arg tail: text          `token|digest|flags|body`
-- @arg sealed: text        '+payload', '' = none
-- @arg own_holds: list
-- @arg blocked_by: list
-- @arg lines: list         of the history
-- @arg notes: list         of the journal
-- @arg acks: changes
-- @reply kind, now, time, count, then: exists, mismatch: record, payload · held: entry, owner's id, record, payload · suspect: because · changed: the marks are others
-- @uses group
if time > not_after then return { 'late', now, time, hw } end
if changed then return { 'changed', now, time, hw } end
local old = redis.call('GET', record)
if old then
  local version, at, token, digest = string.match(old, '^(%d+)|(%d+)|([^|]*)|([^|]*)|')
  local our_token, our_digest = string.match(tail, '^([^|]*)|([^|]*)|')
  if token == our_token and version == '1' then
    redis.call('SET', marks, found)
    return { 'created', tonumber(at), time, hw }
  end
  return { digest == our_digest and 'exists' or 'mismatch', now, time, hw, old, redis.call('GET', payload) }
end
local base, left, before = string.sub(marks, 1, -2), string.sub(known, -2), hw
if #acks > 0 then redis.call('SETRANGE', marks, 0, '') end -- without room it is refused here, before all writes
for _, change in ipairs(acks) do
  local record, payload, history = base .. 'r:' .. change.id, base .. 'p:' .. change.id, base .. 'h:' .. change.id
  local old = redis.call('GET', record)
  local version, digest, flags = string.match(old or '', '^(%d+)|%d+|[^|]*|([^|]*)|(%a*)|')
  if old and tonumber(version) == change.expect then
    version = version + 1
    -- @inline write
  end
end
local entry, owner, held
for _, each in ipairs(blocked_by) do
  local owners = not held and redis.call('HGET', holds, each)
  local alive = false
  for other in string.gmatch(owners or '', '[^,]+') do
    if not held and other ~= id then held, entry, owner = redis.call('GET', base .. 'r:' .. other), each, other end
    alive = alive or held or other == id
  end
  if owners and not alive then redis.call('HDEL', holds, each) end -- its owners have expired
end
local because = lost and 'store_loss' or good_until >= 0 and now > good_until and 'intent_too_old'
if not held and not because then
  redis.call('SETRANGE', marks, 0, '')
  if sealed ~= '' then redis.call('SET', payload, '0000000000000|' .. string.sub(sealed, 2)) end
  for _, line in ipairs(lines) do redis.call('RPUSH', history, now .. '|' .. line) end
  if left == '1|' then redis.call('ZREM', due, id) redis.call('ZREM', attention, id) end -- of an expired record
  if due_at ~= '' then
    redis.call('ZADD', due, string.byte(due_at) == 43 and now + string.sub(due_at, 2) or due_at, id)
  end
  if queued then redis.call('ZADD', attention, now, id) end
  if #notes > 0 then
    local about = id
    -- @inline journal
  end
  for _, each in ipairs(own_holds) do
    if redis.call('HSETNX', holds, each, id) == 0 then
      local owners = redis.call('HGET', holds, each)
      if not string.find(',' .. owners .. ',', ',' .. id .. ',', 1, true) then owners = owners .. ',' .. id end
      redis.call('HSET', holds, each, owners)
    end
  end
  redis.call('SET', record, '1|' .. now .. '|' .. tail) -- last: without the rest there is no record
  hw = hw + 1
end
if hw > before then redis.call('SET', marks, string.sub(known, 1, -3) .. left .. hw .. '|' .. now) end
if held then return { 'held', now, time, hw, entry, owner, held, redis.call('GET', base .. 'p:' .. owner) } end
return { because and 'suspect' or 'created', now, time, hw, because }
