--[[
Takes the oldest entries out of a list: from then on only the caller has them.
KEYS   entries (list), measure (hash)
ARGV   1 not_after_us: a call that starts later takes nothing, as nobody waits for its reply any longer
       2 room: most that are taken; may be 0   3 how many a blocking read has taken just now
       4 "1": fails where the user may not give entries back, as listReturn.lua does
Reply  now_us, the entries taken, the oldest first
       Past not_after_us: now_us alone.
TTL    none, as in listOffer.lua.
]]
--@include time
--@include finished
if now_us > ARGV[1] + 0 then
  return { now_us }
end
local entries, measure, room, before = KEYS[1], KEYS[2], ARGV[2] + 0, ARGV[3] + 0
-- Entries are taken last: then only the reply has them, and a later command that the user may not run would lose them. Taking none first is
-- a write that needs no memory: after one, Redis lets a script go on even when its memory is full.
redis.call('RPOP', entries, 0)
if ARGV[4] == '1' then
  redis.call('RPUSH', entries, '')
  redis.call('RPOP', entries)
end
local waiting = redis.call('LLEN', entries)
local count = math.min(room, waiting)
-- Each entry that is taken counts as finished, as a list does not know what becomes of it.
for i = before + count, 1, -1 do
  measure_finish(measure, i > 1 or waiting > count, nil)
end
return { now_us, count > 0 and redis.call('RPOP', entries, count) or {} }
