--[[
Adds an act to the log, once: it is sent again where its reply was late or lost.
KEYS   acts (stream)
ARGV   1 the act   2 most acts   3 life_ms
Reply  its id
TTL    life_ms from the last act
]]
for _, entry in ipairs(redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 100)) do
  if entry[2][2] == ARGV[1] then
    return entry[1]
  end
end
local id = redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[2], '*', 'act', ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return id
