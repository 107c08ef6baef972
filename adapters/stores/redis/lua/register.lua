-- Enters a group in the registry, and keeps the marks of the control slot, which stand for the store as a whole.
-- @key meta      hash    marks of the control slot
-- @key groups    hash    tag -> names
-- @arg epoch: text
-- @arg min_hw: integer
-- @arg server: text
-- @arg tag: text           '' = enter nothing
-- @arg who: text
-- @arg lost_at: integer    ms; a loss seen in some group; 0 = none
-- @reply head
-- @uses group loss
notice()
if lost_at > loss then
  loss = lost_at
  redis.call('HSET', meta, 'lossAt', int(loss))
end
if tag ~= '' and redis.call('HSETNX', groups, tag, who) == 1 then
  hw = hw + 1
  redis.call('HSET', meta, 'hw', int(hw), 'lt', int(now))
end
return reply('registered')
