--[[
Where a number stands in a list.
KEYS   entries (list), number (string), measure (hash)
ARGV   1 number of the ticket
Reply  now_us, position (below 1: taken; above how many wait: never given), how many wait, and the measure as status.lua answers it
TTL    none, as in listOffer.lua.
]]
--@include time
--@include measure
local waiting = redis.call('LLEN', KEYS[1])
local position = ARGV[1] - ((redis.call('GET', KEYS[2]) or 0) - waiting)
return { now_us, position, waiting, unpack(measure_of(KEYS[3])) }
