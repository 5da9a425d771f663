--[[
Adds what was counted in some seconds to the hash of their series and slice.
KEYS   hash
ARGV   1 end_ms: when the hash is forgotten, since 1970
       then of each second   its place in the slice, units
Reply  nothing
TTL    until end_ms, with every count: no hash stays without a life, whatever befalls the one who counts
]]
for i = 2, #ARGV, 2 do
  redis.call('HINCRBYFLOAT', KEYS[1], ARGV[i], ARGV[i + 1])
  redis.call('PEXPIREAT', KEYS[1], ARGV[1])
end
