-- The group: its clock, its marks, and how an answer begins. The clock is the server's and never goes back inside a group.
local clock = redis.call('TIME')
local time = clock[1] * 1000 + math.floor(clock[2] / 1000)
local marks = redis.call('HMGET', meta, 'epoch', 'hw', 'lt', 'rid', 'lossAt', 'gen')
local hw, last = tonumber(marks[2] or 0), tonumber(marks[3] or 0)
local loss, generation = tonumber(marks[5] or 0), tonumber(marks[6] or 0)
local now = math.max(time, last)

local function int(number)
  return string.format('%.0f', number)
end

-- Key of another record of this group. It has the hash tag of `meta`, so it lives in the same slot.
local function key(kind, id)
  return string.sub(meta, 1, -2) .. kind .. ':' .. id
end

local function reply(kind, ...)
  return { kind, now, time, hw, generation, marks[1] or '', loss, ... }
end
