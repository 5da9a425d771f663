--[[
Puts entries back that were taken and never begun: they are taken next. It is sent only once, as a second time would double them.
KEYS   entries (list)
ARGV   the entries; the last one is taken first
Reply  how many wait
TTL    none, as in listOffer.lua.
]]
-- A write that needs no memory: after one, Redis lets a script go on even when its memory is full.
redis.call('RPOP', KEYS[1], 0)
local waiting
for _, entry in ipairs(ARGV) do
  waiting = redis.call('RPUSH', KEYS[1], entry)
end
return waiting
