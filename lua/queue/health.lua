--[[
How a queue is.
KEYS   entries (stream), measure (hash)
ARGV   none
Reply  now_us, entries, how many are handed out, how many of those wait for another attempt, ms of the oldest arrival or 0, done, dead
TTL    none, as in offer.lua.
]]
--@include time
--@include group
local entries, measure = KEYS[1], KEYS[2]
local summary = of_group('XPENDING', entries, 'g')
local retrying = 0
for _, consumer in ipairs(summary[4] or {}) do
  if consumer[1] == 'retry' then
    retrying = consumer[2] + 0
  end
end
local oldest = redis.call('XRANGE', entries, '-', '+', 'COUNT', 1)[1]
local oldest_ms = oldest and string.match(oldest[1], '^%d+') + 0 or 0
local ended = redis.call('HMGET', measure, 'done', 'dead')
local done, dead = tonumber(ended[1] or 0), tonumber(ended[2] or 0)
return { now_us, redis.call('XLEN', entries), summary[1] or 0, retrying, oldest_ms, done, dead }
