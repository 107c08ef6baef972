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
-- @reply kind, now, time, count, then three parts for each change: swapped, version, instant · stale, record, payload · gone, late, generation_changed · changed: the marks are others
-- @uses group
if time > not_after then return { 'late', now, time, hw } end
if changed then return { 'changed', now, time, hw } end
local base, left, before, repeated = string.sub(marks, 1, -2), string.sub(known, -2), hw, false
local answer = { 'done', now, time, hw }
if ask then -- a cluster: while the slot moves, the script breaks off here, before anything is written
  for _, change in ipairs(changes) do
    redis.call('EXISTS', base .. 'r:' .. change.id, base .. 'p:' .. change.id, base .. 'h:' .. change.id, base .. 'j')
  end
end
for i, change in ipairs(changes) do
  local record, payload, history = base .. 'r:' .. change.id, base .. 'p:' .. change.id, base .. 'h:' .. change.id
  local outcome, first, second = 'gone', false, false
  local old = redis.call('GET', record)
  local version, at, token, digest, flags = string.match(old or '', '^(%d+)|(%d+)|([^|]*)|([^|]*)|(%a*)|')
  version = tonumber(version)
  if token == change.token and version == change.expect + 1 then
    outcome, first, second, repeated = 'swapped', version, tonumber(at), true
  elseif old and version ~= change.expect then
    outcome, first, second = 'stale', old, redis.call('GET', payload)
  elseif old and last_instant >= 0 and now > last_instant then
    outcome = 'late'
  elseif old and not generation_ok then
    outcome = 'generation_changed'
  elseif old then
    version = version + 1
    -- @inline write
    outcome, first, second = 'swapped', version, now
  end
  answer[3 * i + 2], answer[3 * i + 3], answer[3 * i + 4] = outcome, first, second
end
if hw > before then
  redis.call('SET', marks, string.sub(known, 1, -3) .. left .. hw .. '|' .. now)
elseif repeated then
  redis.call('SET', marks, found)
end
answer[4] = hw
return answer
