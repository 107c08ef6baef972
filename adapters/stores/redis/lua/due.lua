-- Ids whose time has come, oldest first. Entries of expired records are swept out.
-- @key meta        hash
-- @key due         zset
-- @key attention   zset
-- (the keys of the records are computed from `meta`, in the same slot)
-- @arg epoch: text
-- @arg min_hw: integer
-- @arg server: text
-- @arg limit: integer
-- @reply head, then: id, ms, id, ms ...
-- @uses group loss
notice()
local answer = reply('due')
local found = redis.call('ZRANGEBYSCORE', due, '-inf', int(now), 'WITHSCORES', 'LIMIT', 0, limit)
for i = 1, #found, 2 do
  if redis.call('EXISTS', key('r', found[i])) == 1 then
    answer[#answer + 1] = found[i]
    answer[#answer + 1] = found[i + 1]
  else
    redis.call('ZREM', due, found[i])
    redis.call('ZREM', attention, found[i])
  end
end
return answer
