-- Creates version 1 of a record, or says why not. Applies `acks` (deliveries of earlier operations) on the way.
-- @key marks       string  see _group.lua
-- @key holds       hash    hold entry -> ids of its owners
-- @key due         zset    id -> ms
-- @key attention   zset    id -> ms
-- @key record      string
-- @key payload     string
-- @key history     list
-- (the keys of the records named by `acks`, and of the owner of a hold, are computed from `marks`, in the same slot)
-- @arg min_hw: integer     the highest count that the client saw
-- @arg ask: flag           the run id has to be asked for
-- @arg not_after: integer  ms of the server's clock: a request that arrives later is a ghost
-- @arg digest: word
-- @arg lost: flag          under these marks the intent is suspect
-- @arg good_until: integer ms of the group's clock; -1 = no limit
-- @arg intent: change      `expect`, `expire` and `remove_holds` are not used
-- @arg known: text         head of the marks
-- @arg blocked_by: list
-- @arg acks: changes
-- @reply kind, now, time, count, then: exists, mismatch: record, payload · held: entry, owner's id, record, payload · suspect: because · changed: the marks are others
-- @uses group write
if time > not_after then return reply('late') end
if changed then return reply('changed') end
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
  local version, _, _, was, flags = split(found or '0|0||||')
  if found and version == ack.expect then put(ack, version + 1, was, flags, name, key('p', ack.id), key('h', ack.id)) end
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
local because = lost and 'store_loss' or good_until >= 0 and now > good_until and 'intent_too_old'
-- index entries of an expired record with this id may still be there (flags `da`)
if not because then put(intent, 1, digest, left == '1|' and 'da' or '', record, payload, history) end
if hw > before then finish() end
return because and reply('suspect', because) or reply('created')
