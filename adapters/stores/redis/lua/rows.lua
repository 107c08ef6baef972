-- Records of a group by id. Index entries of expired records are swept out.
-- @key marks       string
-- @key due         zset
-- @key attention   zset
-- (the keys of the records are computed from `marks`, in the same slot)
-- @arg payloads: flag
-- @arg ids: list
-- @reply marks, record, payload, record, payload ...
local base = string.sub(marks, 1, -2)
local answer = { redis.call('GET', marks) }
for i, id in ipairs(ids) do
  local record = redis.call('GET', base .. 'r:' .. id)
  if not record then
    redis.call('ZREM', due, id)
    redis.call('ZREM', attention, id)
  end
  answer[2 * i] = record
  answer[2 * i + 1] = record and payloads and redis.call('GET', base .. 'p:' .. id)
end
return answer
