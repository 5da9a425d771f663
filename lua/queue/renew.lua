--[[
Keeps entries from being taken by others.
KEYS   entries (stream)
ARGV   1 me: the consumer, then for each entry: id, how often it was handed out
Reply  places (1 is the first entry) of those that are not this consumer's, or not at this attempt: a consumer may hold two attempts
         of one id, of which one is lost
TTL    none, as in offer.lua.
]]
--@include group
--@include holder
local entries, me = KEYS[1], ARGV[1]
local lost = {}
for i = 2, #ARGV, 2 do
  local id = ARGV[i]
  local holder, count = holder_of(entries, id)
  if holder == me and count == ARGV[i + 1] + 0 then
    redis.call('XCLAIM', entries, 'g', me, 0, id, 'JUSTID')
  else
    lost[#lost + 1] = i / 2
  end
end
return lost
