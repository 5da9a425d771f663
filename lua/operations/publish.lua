--[[
What a process tells those who operate it, and what it has not heard yet.
KEYS   services (sorted set, by the time of the last word), description of this process (string), what it has seen (string),
       acts (stream)
ARGV   1 id of the process   2 description, '' where it is as before   3 what it has seen   4 life_ms
       5 first act that is wanted, '' where the process has just begun   6 most acts in the reply
Reply  whether the description is missing (1 or 0), the id of the newest act, acts as XRANGE gives them
TTL    life_ms for all but the stream, which has that of its last act
]]
local services, description, seen, acts = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local now = redis.call('TIME')
local now_ms = now[1] * 1000 + math.floor(now[2] / 1000)
local life_ms = ARGV[4] + 0
local missing = 0
if ARGV[2] ~= '' then
  redis.call('SET', description, ARGV[2], 'PX', ARGV[4])
elseif redis.call('PEXPIRE', description, ARGV[4]) == 0 then
  missing = 1
end
redis.call('SET', seen, ARGV[3], 'PX', ARGV[4])
redis.call('ZREMRANGEBYSCORE', services, '-inf', string.format('%.0f', now_ms - life_ms))
redis.call('ZADD', services, string.format('%.0f', now_ms), ARGV[1])
redis.call('ZREMRANGEBYRANK', services, 0, -1001)
redis.call('PEXPIRE', services, ARGV[4])
local newest = redis.call('XREVRANGE', acts, '+', '-', 'COUNT', 1)
local id = newest[1] and newest[1][1] or '0-0'
if ARGV[5] == '' then
  return { missing, id, {} }
end
return { missing, id, redis.call('XRANGE', acts, ARGV[5], '+', 'COUNT', ARGV[6]) }
