-- A stretch of one index in its order, with the records. Entries of expired records are swept out and shown as nil.
-- @key meta     hash
-- @key index    zset
-- (the keys of the records are computed from `meta`, in the same slot)
-- @arg from: text       score of the last entry seen; '' = from the start
-- @arg after: text      id of the last entry seen
-- @arg limit: integer
-- @reply head, then: id, ms, record, payload, id, ms, record, payload ...
-- @uses group
local start = 0
if from ~= '' then
  local score = redis.call('ZSCORE', index, after)
  if score and tonumber(score) == tonumber(from) then
    start = redis.call('ZRANK', index, after) + 1
  else
    start = redis.call('ZCOUNT', index, '-inf', '(' .. from)
  end
end
local answer = reply('list')
local found = redis.call('ZRANGE', index, start, start + limit - 1, 'WITHSCORES')
for i = 1, #found, 2 do
  local record = redis.call('GET', key('r', found[i]))
  if not record then redis.call('ZREM', index, found[i]) end
  answer[#answer + 1] = found[i]
  answer[#answer + 1] = found[i + 1]
  answer[#answer + 1] = record
  answer[#answer + 1] = redis.call('GET', key('p', found[i]))
end
return answer
