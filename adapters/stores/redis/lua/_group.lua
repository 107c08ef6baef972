-- The clock and the marks of a group. Marks are one string, `epoch|born|run id|loss|generation|left|` (the head) and
-- `count|last`. The client sends the head it knows; with any other head nothing is done, and it has to `touch` the group
-- first. The clock is the server's and never goes back inside a group. (Numbers stay below 10^14, so Lua writes them
-- as whole numbers.)
local clock = redis.call('TIME')
local time = clock[1] * 1000 + math.floor(clock[2] / 1000)
local found = redis.call('GET', marks) or ''
local changed = string.sub(found, 1, #known) ~= known
local hw, last = string.match(found, '^(%d+)|(%d+)$', #known + 1)
if hw then hw, last = tonumber(hw), tonumber(last) end
local now = math.max(time, last or 0)
if not hw or hw < min_hw then changed = true end
if ask and not changed then
  local run_id = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
  changed = not string.find(known, '|' .. string.sub(run_id, 1, 16) .. '|', 1, true)
end

-- Key of another record of this group. It has the hash tag of `marks`, so it lives in the same slot.
local function key(kind, id)
  return string.sub(marks, 1, -2) .. kind .. ':' .. id
end

local function reply(kind, ...)
  return { kind, now, time, hw or 0, ... }
end
