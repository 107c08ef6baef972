-- Opens a group, or the control slot, for a process: reads its marks, notices a loss, writes the marks anew.
-- @key marks      string  `epoch|born|run id|loss|generation|left|count|last`, see _group.lua
-- @key names      string  names of the group, as in the registry
-- @arg epoch: word        what the client knows: '' nothing, '*' only that there is one
-- @arg min_hw: integer    the highest count that the client saw under this epoch
-- @arg run_id: word       first 16 characters; '' = the client cannot know which server answers
-- @arg started: integer   ms; when the server started, to the second below; 0 if it took over from another one
-- @arg fresh: word        the epoch to write if there is none
-- @arg lost_at: integer   ms; a loss known elsewhere that concerns every group; 0 = none
-- @arg who: text
-- @reply time, marks
local clock = redis.call('TIME')
local time = clock[1] * 1000 + math.floor(clock[2] / 1000)
local found = redis.call('GET', marks)
local was, born, rid, loss, generation, left, hw, last
if found then
  was, born, rid, loss, generation, left, hw, last = string.match(found, '^(.-)|(.-)|(.-)|(.-)|(.-)|(.-)|(.-)|(.-)$')
end
local now = math.max(time, tonumber(last or 0))
loss = math.max(tonumber(loss or 0), lost_at)
hw = tonumber(hw or 0)
if run_id == '' then
  local info = redis.call('INFO', 'server')
  local before = string.match(redis.call('INFO', 'replication'), 'master_replid2:(%w+)') or ''
  run_id = string.sub(string.match(info, 'run_id:(%w+)'), 1, 16)
  started = string.find(before, '[^0]') and 0 or (clock[1] - string.match(info, 'uptime_in_seconds:(%d+)')) * 1000
end
-- Another life of the server: after a restart what was written before it may be gone, after a failover anything up to now.
-- Each loss has a time of its own: who read a record before it must not take it for the same one afterwards.
if rid and rid ~= run_id then
  loss = math.max(loss + 1, started > tonumber(last) and math.min(started + 1000, now) or now)
end
if not found then
  if epoch ~= '' then loss = math.max(loss, now) end
  was, born, generation, left = fresh .. '.' .. clock[1] .. clock[2], now, now, '0'
elseif epoch ~= '' and epoch ~= '*' and epoch ~= was then
  loss = math.max(loss, tonumber(born))
elseif epoch == was and hw < min_hw then
  loss, hw = math.max(loss + 1, now), min_hw
end
if loss == now then now = now + 1 end -- what is written from now on is younger than the loss
local written = table.concat({ was, born, run_id, loss, generation, left, hw, now }, '|')
redis.call('SET', marks, written)
redis.call('SET', names, who)
return { time, written }
