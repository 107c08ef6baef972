-- Appends `notes` about the record `about` to the journal of the group, a list of `number|at|about|note` that keeps the
-- newest 10,000; `number` counts them.
local journal = string.sub(marks, 1, -2) .. 'j'
local number = tonumber(string.match(redis.call('LINDEX', journal, -1) or '', '^%d+') or 0)
for i, note in ipairs(notes) do redis.call('RPUSH', journal, number + i .. '|' .. now .. '|' .. about .. '|' .. note) end
redis.call('LTRIM', journal, -10000, -1)
