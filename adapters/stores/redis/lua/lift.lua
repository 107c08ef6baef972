-- Lifts the suspension of a tool.
-- @key suspensions   hash    tool -> `at|done|suspension`
-- @arg tool: text
-- @arg only: text            the one to lift; '' = whichever stands
-- @reply 1 if none stands now, else 0
local old = redis.call('HGET', suspensions, tool)
if old and only ~= '' and string.match(old, '^%d+|%d|(.*)$') ~= only then return 0 end
redis.call('HDEL', suspensions, tool)
return 1
