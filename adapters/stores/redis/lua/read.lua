-- One record with its payload, and the clock as it was before the read.
-- @key marks     string
-- @key names     string
-- @key record    string
-- @key payload   string
-- @reply time, marks, record, payload, names of the group
local clock = redis.call('TIME')
local time = clock[1] * 1000 + math.floor(clock[2] / 1000)
local found = redis.call('MGET', marks, record, payload, names)
return { time, found[1], found[2], found[3], found[4] }
