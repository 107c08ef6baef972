-- Replaces the expected version of a record, or says why not.
-- @key meta        hash
-- @key holds       hash
-- @key due         zset
-- @key attention   zset
-- @key record      string
-- @key payload     string
-- @key history     list
-- @arg epoch: text
-- @arg min_hw: integer
-- @arg server: text
-- @arg not_after: integer       ms of the server's clock: a request that arrives later is a ghost
-- @arg change: change
-- @arg last_instant: integer    ms of the group's clock; -1 = none
-- @arg if_generation: integer   -1 = any
-- @reply head, then: swapped: version · stale: record, payload
-- @uses group loss write
if time > not_after then return reply('late') end
notice()
local old = redis.call('GET', record)
if not old then return reply('gone') end
local version, at, token, digest = split(old)
if token == change.token and version == change.expect + 1 then
  finish()
  now = at
  return reply('swapped', version)
end
if version ~= change.expect then return reply('stale', old, redis.call('GET', payload)) end
if last_instant >= 0 and now > last_instant then return reply('late') end
if if_generation >= 0 and if_generation ~= generation then return reply('generation_changed') end
put(change, version + 1, digest, record, payload, history)
finish()
return reply('swapped', version + 1)
