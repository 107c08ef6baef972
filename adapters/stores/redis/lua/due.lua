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
if changed then return { 'changed', now, time, hw } end
local base, answer = string.sub(marks, 1, -2), { 'due', now, time, hw }
local ids = redis.call('ZRANGEBYSCORE', due, '-inf', now, 'WITHSCORES', 'LIMIT', 0, limit)
for i = 1, #ids, 2 do
  if redis.call('EXISTS', base .. 'r:' .. ids[i]) == 1 then
    answer[#answer + 1] = ids[i]
    answer[#answer + 1] = ids[i + 1]
  else
    redis.call('ZREM', due, ids[i])
    redis.call('ZREM', attention, ids[i])
  end
end
return answer
