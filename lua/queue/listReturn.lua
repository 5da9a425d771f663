--[[
Puts entries back that were taken and never begun: they are taken next. It is sent only once, as a second time would double them.
KEYS   entries (list)
ARGV   the entries, the one that is to be taken first at the end
Reply  how many wait
TTL    none, as in listOffer.lua.
]]
return redis.call('RPUSH', KEYS[1], unpack(ARGV))
