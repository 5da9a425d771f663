--[[
The entries of the lists, unless they are as before.
KEYS   lists (hash: an entry's name, then its end in ms and what is known of it; under '' the version)
ARGV   1 version that the caller has, '' for none
Reply  now_ms, version ('' where there is no list), the hash where the version is another
]]
local now = redis.call('TIME')
local now_ms = string.format('%.0f', now[1] * 1000 + math.floor(now[2] / 1000))
local version = redis.call('HGET', KEYS[1], '') or ''
if version == '' or version == ARGV[1] then
  return { now_ms, version, {} }
end
return { now_ms, version, redis.call('HGETALL', KEYS[1]) }
