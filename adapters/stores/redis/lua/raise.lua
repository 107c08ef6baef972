-- Raises the generation of a group: whoever knew the old one has to look at the suspensions again.
-- @key marks   string
-- @reply 1, or 0 if the group has no marks (then nobody knows a generation of it)
local found = redis.call('GET', marks)
if not found then return 0 end
local head, generation, tail = string.match(found, '^([^|]*|[^|]*|[^|]*|[^|]*|)(%d+)(|.*)$')
redis.call('SET', marks, head .. generation + 1 .. tail)
return 1
