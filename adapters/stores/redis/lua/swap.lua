-- Replaces the expected version of a record, or says why not.
-- @key marks       string  see _group.lua
-- @key holds       hash
-- @key due         zset
-- @key attention   zset
-- @key record      string
-- @key payload     string
-- @key history     list
-- @arg min_hw: integer
-- @arg ask: flag
-- @arg not_after: integer       ms of the server's clock
-- @arg last_instant: integer    ms of the group's clock; -1 = none
-- @arg generation_ok: flag      under these marks the generation is the expected one
-- @arg change: change
-- @arg known: text
-- @reply kind, now, time, count, then: swapped: version · stale: record, payload · changed: the marks are others
-- @uses group
if time > not_after then return { 'late', now, time, hw } end
if changed then return { 'changed', now, time, hw } end
local old = redis.call('GET', record)
if not old then return { 'gone', now, time, hw } end
local version, at, token, digest, flags = string.match(old, '^(%d+)|(%d+)|([^|]*)|([^|]*)|(%a*)|')
version = tonumber(version)
if token == change.token and version == change.expect + 1 then
  redis.call('SET', marks, found)
  return { 'swapped', tonumber(at), time, hw, version }
end
if version ~= change.expect then return { 'stale', now, time, hw, old, redis.call('GET', payload) } end
if last_instant >= 0 and now > last_instant then return { 'late', now, time, hw } end
if not generation_ok then return { 'generation_changed', now, time, hw } end
version = version + 1
local left = string.sub(known, -2)
-- @inline write
redis.call('SET', marks, string.sub(known, 1, -3) .. left .. hw .. '|' .. now)
return { 'swapped', now, time, hw, version }
