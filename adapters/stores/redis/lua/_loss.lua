-- Marks of loss. `epoch` is what the client knows ('' nothing, '*' only that there is one), `min_hw` the highest count it
-- saw, `server` = "<run id, 16 characters> <started at, ms; 0 if promoted> <skew, ms> <new epoch>". A run id of dashes:
-- the client cannot know which server answers, so the script asks.
local function serving()
  local rid, started, skew, fresh = string.match(server, '^(%S+) (%d+) (%d+) (%S+)$')
  if rid ~= string.rep('-', 16) then return rid, tonumber(started), tonumber(skew), fresh end
  local info = redis.call('INFO', 'server')
  rid = string.sub(string.match(info, 'run_id:(%w+)'), 1, 16)
  started = (clock[1] - string.match(info, 'uptime_in_seconds:(%d+)')) * 1000
  if marks[4] and marks[4] ~= rid then
    local before = string.match(redis.call('INFO', 'replication'), 'master_replid2:(%w+)')
    if before and string.find(before, '[^0]') then started = 0 end
  end
  return rid, started, tonumber(skew), fresh
end

local function notice()
  local known = epoch == '' or epoch == '*' or epoch == marks[1]
  if marks[1] and known and hw >= min_hw and marks[4] == string.sub(server, 1, 16) then return end
  local rid, started, skew, fresh = serving()
  local before = marks[4]
  if before and before ~= rid then loss = math.max(loss, started > last and started + skew or now) end
  if not marks[1] then
    if epoch ~= '' then loss = math.max(loss, now) end
    marks[1] = fresh .. '.' .. clock[1] .. clock[2]
    generation = generation + now
    redis.call('HSET', meta, 'epoch', marks[1], 'born', int(now), 'gen', int(generation))
  elseif not known then
    loss = math.max(loss, tonumber(redis.call('HGET', meta, 'born')))
  elseif hw < min_hw and epoch == marks[1] then
    loss, hw = math.max(loss, now), min_hw
  elseif before == rid then
    return
  end
  redis.call('HSET', meta, 'rid', rid, 'lossAt', int(loss), 'hw', int(hw), 'lt', int(now))
end
