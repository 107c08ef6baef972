-- One record with its payload, and the clock as it was before the read.
-- @key meta      hash
-- @key record    string
-- @key payload   string
-- @reply head, then: record, payload, names of the group
-- @uses group
return reply('read', redis.call('GET', record), redis.call('GET', payload), redis.call('HGET', meta, 'who'))
