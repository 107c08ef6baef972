-- Notes that every group of a suspended tool has heard of it.
-- @key suspensions   hash
-- @arg tool: text
-- @reply 1, or 0 if it was lifted meanwhile
local old = redis.call('HGET', suspensions, tool)
if not old then return 0 end
redis.call('HSET', suspensions, tool, (string.gsub(old, '^(%d+)|0', '%1|1', 1)))
return 1
