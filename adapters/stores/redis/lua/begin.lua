-- Creates version 1 of a record, or says why not. Applies `acks` (deliveries of earlier operations) on the way.
-- @key meta        hash    marks of the group
-- @key holds       hash    hold entry -> ids of its owners
-- @key due         zset    id -> ms
-- @key attention   zset    id -> ms
-- @key record      string
-- @key payload     string
-- @key history     list
-- (the keys of the records named by `acks`, and of the owner of a hold, are computed from `meta`, in the same slot)
-- @arg epoch: text
-- @arg min_hw: integer
-- @arg server: text
-- @arg not_after: integer  ms of the server's clock
-- @arg digest: text
-- @arg intent: change      `expect`, `expire` and `remove_holds` are not used
-- @arg blocked_by: list
-- @arg acks: changes
-- @arg issued_at: integer  ms; -1 = unknown
-- @arg max_age: integer    ms
-- @arg adopting: flag
-- @reply head, then: exists, mismatch: record, payload · held: entry, owner's id, record, payload · suspect: because
-- @uses group loss write
if time > not_after then return reply('late') end
notice()
local old = redis.call('GET', record)
if old then
  local version, at, token, was = split(old)
  if token == intent.token and version == 1 then
    finish()
    now = at
    return reply('created')
  end
  return reply(was == digest and 'exists' or 'mismatch', old, redis.call('GET', payload))
end
local before = hw
for _, ack in ipairs(acks) do
  local name = key('r', ack.id)
  local found = redis.call('GET', name)
  local version, _, _, was = split(found or '0|0|||')
  if found and version == ack.expect then put(ack, version + 1, was, name, key('p', ack.id), key('h', ack.id)) end
end
for _, entry in ipairs(blocked_by) do
  for owner in string.gmatch(redis.call('HGET', holds, entry) or '', '[^,]+') do
    local found = owner ~= intent.id and redis.call('GET', key('r', owner))
    if found then
      if hw > before then finish() end
      return reply('held', entry, owner, found, redis.call('GET', key('p', owner)))
    elseif owner ~= intent.id then
      disown(entry, owner)
    end
  end
end
local because = issued_at >= 0 and not adopting
  and (issued_at <= loss and 'store_loss' or now - issued_at > max_age and 'intent_too_old')
if not because then put(intent, 1, digest, record, payload, history) end
if hw > before then finish() end
return because and reply('suspect', because) or reply('created')
