-- Which of the commands of our scripts this user may not run: found out before a write stops halfway for the lack of one.
-- Each is tried on a key of its own, so that nothing changes: on nothing, or with an argument that the command refuses
-- after its rights were checked. What two of them make, the next one takes away.
-- @key probe    any
-- @reply names
local missing = {}
local function try(name, ...)
  local reply = redis.pcall(name, ...)
  local failed, text = pcall(function() return reply.err end)
  if not failed or not text then return true end
  if string.find(text, 'can.t run this command') or string.find(text, 'no permissions') then
    missing[#missing + 1] = string.lower(name)
    return false
  end
  return true
end
try('TIME')
try('INFO', 'server')
for _, name in ipairs({ 'GET', 'MGET', 'EXISTS', 'PERSIST', 'HGETALL', 'HVALS', 'HLEN', 'LLEN', 'ZCARD' }) do
  try(name, probe)
end
for _, name in ipairs({ 'HGET', 'ZSCORE', 'ZRANK', 'ZREM', 'PEXPIRE', 'PEXPIREAT', 'LINDEX' }) do try(name, probe, 'x') end
for _, name in ipairs({ 'GETRANGE', 'LRANGE', 'ZRANGE', 'ZCOUNT', 'ZRANGEBYSCORE', 'ZADD', 'SETRANGE' }) do
  try(name, probe, 'x', 'x')
end
try('SET', probe, '', 'x')
try('HSET', probe, 'x', 'x', 'x')
if try('HDEL', probe, 'x') and try('HSETNX', probe, 'x', '') then redis.call('HDEL', probe, 'x') end
if try('LTRIM', probe, 1, 0) and try('RPUSH', probe, '') then redis.call('LTRIM', probe, 1, 0) end
return missing
