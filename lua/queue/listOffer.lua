--[[
Admits a job to a list while fewer than the limit wait in it.
KEYS   entries (list of "MS.TICKET.JOB", the oldest last), number (string), measure (hash)
ARGV   1 not_after_us: a call that starts later takes nothing ("0": no bound)
       2 limit   3 mark: what the ticket begins with; the number follows   4 job   5 "1": the measure is wanted
Reply  now_us, then
         1, position, where it is wanted the measure as status.lua answers it, and at last the ticket's number
         0, µs after which to come back: the list is full
       Past not_after_us: now_us alone.
TTL    none: accepted work does not expire. The limit bounds the entries, the rest are a number and some fields.
Times in whole microseconds; MS is the arrival in milliseconds.
]]
--@include time
--@include measure
if ARGV[1] ~= '0' and now_us > ARGV[1] + 0 then
  return { now_us }
end
local entries, number, measure, limit = KEYS[1], KEYS[2], KEYS[3], ARGV[2] + 0
local length = redis.call('LLEN', entries)
if length >= limit then
  --@include place
  return { now_us, 0, next_place_us(measure, limit, true) }
end

-- Before anything is taken, so that a command that Redis forbids its user leaves no job behind.
if length == 0 then
  redis.call('HSET', measure, 'since', string.format('%.0f', now_us))
end
local reply = { now_us, 1, length + 1, unpack(ARGV[5] == '1' and measure_of(measure) or {}) }
local count = string.format('%.0f', redis.call('INCR', number))
local arrival = string.format('%.0f', math.floor(now_us / 1000))
local pushed = redis.pcall('LPUSH', entries, arrival .. '.' .. ARGV[3] .. count .. '.' .. ARGV[4])
if type(pushed) == 'table' then
  redis.call('DECR', number)
  return pushed
end
reply[#reply + 1] = count
return reply
