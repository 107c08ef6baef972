-- Writes version 1 of the record of `intent`. The record comes last: without the rest there is no record.
if intent.payload ~= '' then redis.call('SET', payload, '0000000000000|' .. string.sub(intent.payload, 2)) end
for _, line in ipairs(intent.history) do redis.call('RPUSH', history, now .. '|' .. line) end
if left == '1|' then redis.call('ZREM', due, id) redis.call('ZREM', attention, id) end -- of an expired record
if intent.due ~= '' then
  redis.call('ZADD', due, string.byte(intent.due) == 43 and now + string.sub(intent.due, 2) or intent.due, id)
end
if intent.attention then redis.call('ZADD', attention, now, id) end
if #intent.journal > 0 then
  local about, notes = id, intent.journal
  -- @inline journal
end
for _, entry in ipairs(intent.own_holds) do
  if redis.call('HSETNX', holds, entry, id) == 0 then
    local owners = redis.call('HGET', holds, entry)
    if not string.find(',' .. owners .. ',', ',' .. id .. ',', 1, true) then owners = owners .. ',' .. id end
    redis.call('HSET', holds, entry, owners)
  end
end
redis.call('SET', record, '1|' .. now .. '|' .. intent.tail)
