-- A stretch of one index behind a place, without the records: what of it is shown is decided across groups.
-- @key index    zset
-- @arg from: word       score of the place; '' = from the start
-- @arg after: word      id at that score, where the place is in this index; '' = it is in another one
-- @arg same: flag       in another one: whether entries with that very score come behind the place
-- @arg newest: flag     from the end of the index
-- @arg limit: integer
-- @reply id, ms, id, ms ...
local count = redis.call('ZCARD', index)
-- entries of one score stand in the order of their ids, and backwards in the other direction
local function stretch(start, size)
  local first, last = start, start + size - 1
  if newest then first, last = count - start - size, count - start - 1 end
  if last < 0 or first >= count then return {} end
  local found = redis.call('ZRANGE', index, math.max(0, first), last, 'WITHSCORES')
  if not newest then return found end
  local turned = {}
  for i = #found - 1, 1, -2 do
    turned[#turned + 1] = found[i]
    turned[#turned + 1] = found[i + 1]
  end
  return turned
end
if from == '' then return stretch(0, limit) end
local open = '(' .. from
local ahead, upto
if newest then
  ahead, upto = redis.call('ZCOUNT', index, open, '+inf'), redis.call('ZCOUNT', index, from, '+inf')
else
  ahead, upto = redis.call('ZCOUNT', index, '-inf', open), redis.call('ZCOUNT', index, '-inf', from)
end
if after == '' then return stretch(same and ahead or upto, limit) end
local score = redis.call('ZSCORE', index, after)
if score and tonumber(score) == tonumber(from) then
  local rank = redis.call('ZRANK', index, after)
  return stretch((newest and count - 1 - rank or rank) + 1, limit)
end
-- the entry at the place has left the index: go on behind where it stood
while ahead < upto do
  local ids = stretch(ahead, math.min(100, upto - ahead))
  for i = 1, #ids, 2 do
    if newest and ids[i] < after or not newest and ids[i] > after then
      return stretch(ahead + (i - 1) / 2, limit)
    end
  end
  ahead = ahead + #ids / 2
end
return stretch(upto, limit)
