-- Keeps the first suspension of a tool, stamped, until it is lifted.
-- @key suspensions   hash    tool -> `at|done|suspension`
-- @arg tool: text
-- @arg suspension: text
-- @reply 1 if the groups of the tool still have to hear of it, else 0
local old = redis.call('HGET', suspensions, tool)
if old then return string.match(old, '^%d+|(%d)') == '1' and 0 or 1 end
local clock = redis.call('TIME')
local at = string.format('%.0f', clock[1] * 1000 + math.floor(clock[2] / 1000))
redis.call('HSET', suspensions, tool, at .. '|0|' .. suspension)
return 1
