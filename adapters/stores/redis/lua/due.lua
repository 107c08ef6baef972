-- Ids whose time has come, oldest first. Entries of expired records are swept out.
-- @key marks       string
-- @key due         zset
-- @key attention   zset
-- (the keys of the records are computed from `marks`, in the same slot)
-- @arg min_hw: integer
-- @arg ask: flag
-- @arg limit: integer
-- @arg known: text
-- @reply kind, now, time, count, then: id, ms, id, ms ...
-- @uses group
if changed then return reply('changed') end
local answer = reply('due')
local found = redis.call('ZRANGEBYSCORE', due, '-inf', now, 'WITHSCORES', 'LIMIT', 0, limit)
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
