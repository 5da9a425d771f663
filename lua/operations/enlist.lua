--[[
Writes or removes entries, and removes those that have ended. Nothing is written where they do not fit.
KEYS   lists (hash: an entry's name, then its end in ms and what is known of it; under '' the version)
ARGV   1 life_ms, 0 to remove   2 most entries   then name and text of each entry
Reply  how many entries were written or removed, -1 where they do not fit
TTL    a week beyond the last entry, so that a process that was away hears of what was removed
]]
local lists = KEYS[1]
local now = redis.call('TIME')
local now_ms = now[1] * 1000 + math.floor(now[2] / 1000)
local life_ms = ARGV[1] + 0
local count = 0
local last_ms = 0
local stored = redis.call('HGETALL', lists)
for i = 1, #stored, 2 do
  local end_ms = tonumber(string.match(stored[i + 1], '^%d+')) or 0
  if stored[i] ~= '' then
    if end_ms <= now_ms then
      redis.call('HDEL', lists, stored[i])
    else
      count = count + 1
      last_ms = math.max(last_ms, end_ms)
    end
  end
end
local changed = 0
if life_ms == 0 then
  for i = 3, #ARGV, 2 do
    changed = changed + redis.call('HDEL', lists, ARGV[i])
  end
else
  for i = 3, #ARGV, 2 do
    count = count + 1 - redis.call('HEXISTS', lists, ARGV[i])
  end
  if count > ARGV[2] + 0 then
    return -1
  end
  local end_ms = string.format('%.0f', now_ms + life_ms)
  for i = 3, #ARGV, 2 do
    redis.call('HSET', lists, ARGV[i], end_ms .. ' ' .. ARGV[i + 1])
    changed = changed + 1
  end
  last_ms = math.max(last_ms, now_ms + life_ms)
end
-- The version is an instant, so that none comes twice, even where Redis has lost everything.
local version = string.format('%.0f', now[1] * 1000000 + now[2])
if version == redis.call('HGET', lists, '') then
  version = version .. '+'
end
redis.call('HSET', lists, '', version)
redis.call('PEXPIREAT', lists, string.format('%.0f', math.max(last_ms, now_ms) + 604800000))
return changed
