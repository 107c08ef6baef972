-- What `work` says of each item, and the marks as all of it leaves them: `hw` counts what is written, `left` is '1|' when a
-- record that ends by itself may leave index entries behind, `repeated` that nothing new had to be written. An item at
-- which the server breaks off is for itself, too: its parts say so, unless it is the only one.
local left, before, repeated = string.sub(known, -2), hw, false

local function each(items, work)
  local answer = { 'done', now, time, hw }
  for i, item in ipairs(items) do
    local sound, parts = true, nil
    if #items == 1 then parts = work(item) else sound, parts = pcall(work, item) end
    answer[4 + i] = sound and parts or { 'broken' }
  end
  if hw > before then
    redis.call('SET', marks, string.sub(known, 1, -3) .. left .. hw .. '|' .. now)
  elseif repeated then
    redis.call('SET', marks, found)
  end
  answer[4] = hw
  return answer
end
