-- Creates version 1 of records of one group, each for itself, or says of each why not. Applies their `acks` on the way.
-- @key marks       string  see _group.lua
-- @key holds       hash    hold entry -> ids of its owners
-- @key due         zset    id -> ms
-- @key attention   zset    id -> ms
-- @more_keys       those of the records: a node of a cluster that has not all of them refuses the script as a whole
-- (the keys of all records are computed from `marks`, in the same slot)
-- @arg min_hw: integer     the highest count that the client saw
-- @arg ask: flag           the run id has to be asked for
-- @arg not_after: integer  ms of the server's clock: a request that arrives later is a ghost
-- @arg known: text         head of the marks
-- @arg intents: intents
-- @reply kind, now, time, count; instead of done: late · changed: the marks are others. Then a list for each intent: created, instant · exists, mismatch, record, payload · held, entry, owner's id, record, payload · suspect, because · broken: to be sent by itself
-- @uses group each holder
if time > not_after then return { 'late', now, time, hw } end
if changed then return { 'changed', now, time, hw } end
local has_room = false

-- without room it is refused here, before all writes
local function ask_for_room()
  if not has_room then redis.call('SETRANGE', marks, 0, '') end
  has_room = true
end

local function apply(change)
  local record, payload, history = base .. 'r:' .. change.id, base .. 'p:' .. change.id, base .. 'h:' .. change.id
  local old = redis.call('GET', record)
  local version, digest, flags = string.match(old or '', '^(%d+)|%d+|[^|]*|([^|]*)|(%a*)|')
  if old and tonumber(version) == change.expect then
    version = version + 1
    -- @inline write
  end
end

local function begin(intent)
  local id = intent.id
  local record, payload, history = base .. 'r:' .. id, base .. 'p:' .. id, base .. 'h:' .. id
  local old = redis.call('GET', record)
  if old then
    local version, at, token, digest = string.match(old, '^(%d+)|(%d+)|([^|]*)|([^|]*)|')
    local our_token, our_digest = string.match(intent.tail, '^([^|]*)|([^|]*)|')
    if token == our_token and version == '1' then
      repeated = true
      return { 'created', tonumber(at) }
    end
    return { digest == our_digest and 'exists' or 'mismatch', old, redis.call('GET', payload) }
  end
  if #intent.acks > 0 then ask_for_room() end
  for _, change in ipairs(intent.acks) do apply(change) end
  local entry, owner, held = holder(intent.blocked_by, id)
  if held then return { 'held', entry, owner, held, redis.call('GET', base .. 'p:' .. owner) } end
  if intent.lost then return { 'suspect', 'store_loss' } end
  if intent.good_until >= 0 and now > intent.good_until then return { 'suspect', 'intent_too_old' } end
  ask_for_room()
  -- @inline create
  hw = hw + 1
  return { 'created', now }
end

return each(intents, begin)
