--[[
How a list is.
KEYS   entries (list), number (string)
ARGV   none
Reply  now_us, how many wait, how many were taken, ms of the oldest arrival or 0
TTL    none, as in listOffer.lua.
]]
--@include time
local waiting = redis.call('LLEN', KEYS[1])
local oldest = redis.call('LINDEX', KEYS[1], -1)
local oldest_ms = oldest and tonumber(string.match(oldest, '^(%d+)%.') or 0) or 0
return { now_us, waiting, (redis.call('GET', KEYS[2]) or 0) - waiting, oldest_ms }
