-- The newest lines of a group's journal behind a place, the newest first. Lines stand in the order of their times.
-- @key marks     string  only for the hash tag
-- @arg at: integer       ms; lines of this time count up to `number`, later ones do not; -1 = from the end
-- @arg number: integer   lines of the time `at` with this number or a higher one do not count
-- @arg limit: integer
-- @reply lines `number|at|id|line`
local journal = string.sub(marks, 1, -2) .. 'j'
local last = redis.call('LLEN', journal) - 1
if at >= 0 then
  local low, high = 0, last + 1 -- the first line that does not count
  while low < high do
    local middle = math.floor((low + high) / 2)
    local n, time = string.match(redis.call('LINDEX', journal, middle), '^(%d+)|(%d+)|')
    n, time = tonumber(n), tonumber(time)
    if time < at or time == at and n < number then low = middle + 1 else high = middle end
  end
  last = low - 1
end
local answer = {}
if last < 0 then return answer end
local found = redis.call('LRANGE', journal, math.max(0, last - limit + 1), last)
for i = #found, 1, -1 do answer[#answer + 1] = found[i] end
return answer
