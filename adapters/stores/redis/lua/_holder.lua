-- The first of `entries` that a living record other than `id` owns, that record's id and the record.
local function holder(entries, id)
  for _, entry in ipairs(entries) do
    local owners, alive = redis.call('HGET', holds, entry), false
    for owner in string.gmatch(owners or '', '[^,]+') do
      if owner == id then
        alive = true
      else
        local record = redis.call('GET', base .. 'r:' .. owner)
        if record then return entry, owner, record end
      end
    end
    if owners and not alive then redis.call('HDEL', holds, entry) end -- its owners have expired
  end
end
