--[[
Puts entries back that were taken and never begun: they are taken next. It is sent only once, as a second time would double them.
KEYS   entries (list)
ARGV   the entries; the last one is taken first
Reply  how many wait
TTL    none, as in listOffer.lua.
]]
return redis.call('RPUSH', KEYS[1], unpack(ARGV))
