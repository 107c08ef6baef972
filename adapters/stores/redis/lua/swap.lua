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
-- @reply kind, now, time, count, then: swapped: version · stale: record, payload
-- @uses group write
if time > not_after then return reply('late') end
if changed then return reply('changed') end
local old = redis.call('GET', record)
if not old then return reply('gone') end
local version, at, token, digest, flags = split(old)
if token == change.token and version == change.expect + 1 then
  finish()
  now = at
  return reply('swapped', version)
end
if version ~= change.expect then return reply('stale', old, redis.call('GET', payload)) end
if last_instant >= 0 and now > last_instant then return reply('late') end
if not generation_ok then return reply('generation_changed') end
put(change, version + 1, digest, flags, record, payload, history)
finish()
return reply('swapped', version + 1)
