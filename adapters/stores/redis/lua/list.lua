-- A stretch of one index in its order, with the records. Entries of expired records are swept out and shown as nil.
-- @key marks    string  only for the hash tag
-- @key index    zset
-- (the keys of the records are computed from `marks`, in the same slot)
-- @arg from: word       score of the last entry seen; '' = from the start
-- @arg after: word      id of the last entry seen
-- @arg limit: integer
-- @reply id, ms, record, payload, id, ms, record, payload ...
local start = 0
if from ~= '' then
  local score = redis.call('ZSCORE', index, after)
  if score and tonumber(score) == tonumber(from) then
    start = redis.call('ZRANK', index, after) + 1
  else
    start = redis.call('ZCOUNT', index, '-inf', '(' .. from)
  end
end
local base = string.sub(marks, 1, -2)
local answer = {}
local found = redis.call('ZRANGE', index, start, start + limit - 1, 'WITHSCORES')
for i = 1, #found, 2 do
  local record = redis.call('GET', base .. 'r:' .. found[i])
  if not record then redis.call('ZREM', index, found[i]) end
  answer[#answer + 1] = found[i]
  answer[#answer + 1] = found[i + 1]
  answer[#answer + 1] = record
  answer[#answer + 1] = redis.call('GET', base .. 'p:' .. found[i])
end
return answer
