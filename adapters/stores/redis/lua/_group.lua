-- The clock and the marks of a group. Marks are one string, `epoch|born|run id|loss|generation|left|` (the head) and
-- `count|last`. The client sends the head it knows; with any other head nothing is done, and it has to `touch` the group
-- first. The clock is the server's and never goes back inside a group. (Numbers stay below 10^14, so Lua writes them
-- as whole numbers.)
local base = string.sub(marks, 1, -2) -- of all keys of the group
local clock = redis.call('TIME')
local time = clock[1] * 1000 + math.floor(clock[2] / 1000)
local found, hw, last = redis.call('GET', marks) or '', -1, 0
if string.sub(found, 1, #known) == known then hw, last = string.match(found, '^(%d+)|(%d+)$', #known + 1) end
hw = tonumber(hw or -1)
local now = math.max(time, tonumber(last or 0))
local changed = hw < min_hw
if ask and not changed then
  local run_id = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
  changed = not string.find(known, '|' .. string.sub(run_id, 1, 16) .. '|', 1, true)
end
