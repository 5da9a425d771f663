--[[
Begins the last attempt of an entry that was handed out to run alone; sent again, it changes nothing.
KEYS   entries (stream)
ARGV   1 me: the consumer   2 id   3 attempt
Reply  1; 0 where it is not this consumer's
TTL    none, as in offer.lua.
]]
--@include group
--@include holder
local entries, me, id, attempt = KEYS[1], ARGV[1], ARGV[2], ARGV[3] + 0
local holder, count = holder_of(entries, id)
if holder ~= me or count < attempt - 1 or count > attempt then
  return 0
end
if count == attempt then
  return 1
end
if redis.call('XCLAIM', entries, 'g', me, 0, id)[1] then
  return 1
end
-- Somebody has deleted it.
redis.call('XACK', entries, 'g', id)
return 0
