--[[
Whether a decision could be had: the server runs scripts, and they may write.
KEYS   a key that nobody reads
Reply  1
TTL    1 ms
]]
redis.call('PSETEX', KEYS[1], 1, '')
return 1
