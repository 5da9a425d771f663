--[[
Ends an entry, or puts it back for another attempt. Takes effect once, however often it is sent.
KEYS   entries (stream), tickets (hash), measure (hash), result (string), dead letters (stream)
ARGV   1 me: the consumer   2 id   3 attempt   4 ticket
       5 state ("done", "failed", "again")
       6 text: how it ended, as its status reports it
       7 error, of "failed"
       8 idle_ms: for how long the entry counts as left, of "again"
       9 keep_ms: life of the result
      10 most dead letters
      11 work_us: the handler's time, or ""
Reply  "ok"; "gone": the entry had ended before; "lost": another consumer holds it. The latter two write nothing.
TTL    the result: keep_ms; the others none, as in offer.lua. Dead letters are bounded in number.
]]
--@include time
--@include group
--@include holder
local entries, tickets, measure, result, dead = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local me, id, attempt, ticket, state, text = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local holder, count = holder_of(entries, id)
if not holder then
  return 'gone'
end
if holder ~= me or count ~= attempt + 0 then
  return 'lost'
end
if state == 'again' then
  redis.call('XCLAIM', entries, 'g', 'retry', 0, id, 'IDLE', ARGV[8], 'JUSTID')
  return 'ok'
end

--@include entry
--@include progress
--@include finished
local job
if state == 'failed' then
  local entry = redis.call('XRANGE', entries, id, id)[1]
  job = select(2, contents_of(entry or { id, {} }))
end
local waits = redis.call('XLEN', entries) > progress_of(entries)
local counter = state == 'done' and 'done' or 'dead'
local ended = tonumber(redis.call('HMGET', measure, counter)[1] or 0)
-- First each command that is needed at the end, in a form that changes nothing: if the user may not run one of them, the script fails here,
-- and nothing is half done. The first needs no memory: after such a write, Redis lets a script go on even when its memory is full.
redis.call('XACK', entries, 'g', '0-0')
redis.call('XDEL', entries, '0-0')
redis.call('HDEL', tickets, '')
redis.call('HSET', measure, counter, ended)
redis.call('SET', result, text, 'PX', ARGV[9])
if state == 'failed' then
  local fields = { 't', ticket, 'j', job, 'error', ARGV[7], 'attempt', attempt }
  redis.call('XADD', dead, 'MAXLEN', '=', ARGV[10], '*', unpack(fields))
end
redis.call('XACK', entries, 'g', id)
redis.call('XDEL', entries, id)
redis.call('HDEL', tickets, ticket)
redis.call('HSET', measure, counter, ended + 1)
measure_finish(measure, waits, tonumber(ARGV[11]))
return 'ok'
