--[[
Adds what was counted in some seconds to the hash of their series and slice.
KEYS   hash
ARGV   1 end_ms: when the hash is forgotten, since 1970
       then of each second   its place in the slice, units
Reply  nothing
TTL    until end_ms, set with every count, so that no hash is left without a life, wherever the script ends
]]
for i = 2, #ARGV, 2 do
  redis.call('HINCRBYFLOAT', KEYS[1], ARGV[i], ARGV[i + 1])
  redis.call('PEXPIREAT', KEYS[1], ARGV[1])
end
