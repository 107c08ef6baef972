-- Opens a group for a process: checks its marks, writes them if it is new, passes on a loss known elsewhere.
-- @key meta      hash
-- @arg epoch: text
-- @arg min_hw: integer
-- @arg server: text
-- @arg who: text           names of the group, as in the registry
-- @arg lost_at: integer    ms; a loss that concerns every group; 0 = none
-- @reply head
-- @uses group loss
notice()
loss = math.max(loss, lost_at)
redis.call('HSET', meta, 'who', who, 'lossAt', int(loss), 'lt', int(now))
return reply('touched')
