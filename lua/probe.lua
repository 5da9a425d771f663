--[[
Whether a decision could be had: it writes, as decisions do.
KEYS     a key that no state has
Reply    1
TTL      1 ms
]]
redis.call('PSETEX', KEYS[1], 1, '')
return 1
