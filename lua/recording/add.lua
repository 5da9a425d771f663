--[[
Adds what was counted in one second to the hash of its series and slice.
KEYS   hash
ARGV   1 place of the second in the slice   2 units   3 end_ms: when the hash is forgotten, since 1970
Reply  nothing
TTL    until end_ms, with every count: no hash stays without a life, whatever befalls the one who counts
]]
redis.call('HINCRBYFLOAT', KEYS[1], ARGV[1], ARGV[2])
redis.call('PEXPIREAT', KEYS[1], ARGV[3])
