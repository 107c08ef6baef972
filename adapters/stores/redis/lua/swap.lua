-- Replaces the expected versions of records of one group, each for itself, or says of each why not.
-- @key marks       string  see _group.lua
-- @key holds       hash
-- @key due         zset
-- @key attention   zset
-- (the keys of the records are computed from `marks`, in the same slot)
-- @arg min_hw: integer
-- @arg ask: flag
-- @arg not_after: integer       ms of the server's clock
-- @arg last_instant: integer    ms of the group's clock; -1 = none
-- @arg generation_ok: flag      under these marks the generation is the expected one
-- @arg known: text
-- @arg changes: changes
-- @reply kind, now, time, count; instead of done: late · changed: the marks are others. Then a list for each change: swapped, version, instant · stale, record, payload · gone, late, generation_changed · broken: to be sent by itself
-- @uses group each
if time > not_after then return { 'late', now, time, hw } end
if changed then return { 'changed', now, time, hw } end
if ask then -- a cluster: while the slot moves, the script breaks off here, before anything is written
  for _, change in ipairs(changes) do
    redis.call('EXISTS', base .. 'r:' .. change.id, base .. 'p:' .. change.id, base .. 'h:' .. change.id, base .. 'j')
  end
end

local function swap(change)
  local record, payload, history = base .. 'r:' .. change.id, base .. 'p:' .. change.id, base .. 'h:' .. change.id
  local old = redis.call('GET', record)
  if not old then return { 'gone' } end
  local version, at, token, digest, flags = string.match(old, '^(%d+)|(%d+)|([^|]*)|([^|]*)|(%a*)|')
  version = tonumber(version)
  if token == change.token and version == change.expect + 1 then
    repeated = true
    return { 'swapped', version, tonumber(at) }
  end
  if version ~= change.expect then return { 'stale', old, redis.call('GET', payload) } end
  if last_instant >= 0 and now > last_instant then return { 'late' } end
  if not generation_ok then return { 'generation_changed' } end
  version = version + 1
  -- @inline write
  return { 'swapped', version, now }
end

return each(changes, swap)
