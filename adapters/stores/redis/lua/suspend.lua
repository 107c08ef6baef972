-- Keeps the first suspension of a tool, stamped, until it is lifted. Another one takes only the place it was meant for.
-- @key suspensions   hash    tool -> `at|done|suspension`
-- @arg tool: text
-- @arg suspension: text
-- @arg instead: text         the one whose place it may take; '' = none
-- @reply what stands now, as it is kept; done 0: the groups of the tool still have to hear of it
local done = '0'
local old = redis.call('HGET', suspensions, tool)
if old then
  local text
  done, text = string.match(old, '^%d+|(%d)|(.*)$')
  if text ~= instead then return old end
end
local clock = redis.call('TIME')
local at = string.format('%.0f', clock[1] * 1000 + math.floor(clock[2] / 1000))
local stands = at .. '|' .. done .. '|' .. suspension
redis.call('HSET', suspensions, tool, stands)
return stands
