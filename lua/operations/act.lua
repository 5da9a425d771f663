--[[
Adds an act to the log.
KEYS   acts (stream)
ARGV   1 the act   2 most acts   3 life_ms
Reply  its id
TTL    life_ms from the last act
]]
local id = redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[2], '*', 'act', ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return id
