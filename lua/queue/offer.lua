--[[
Admits a job to a stream while fewer than the limit wait or run.
KEYS   entries (stream), tickets (hash), number (string), measure (hash)
ARGV   1 not_after_us: a call that starts later takes nothing ("0": no bound)
       2 limit   3 ticket   4 job   5 "1": the measure is wanted
Reply  now_us, then
         1, position, and where it is wanted the measure as status answers it
         0, µs after which to come back: the queue is full
       Past not_after_us: now_us alone.
TTL    none: accepted work does not expire. The limit bounds entries and tickets, the rest are a number and some fields.
Times in whole microseconds.
]]
--@include time
--@include measure
if ARGV[1] ~= '0' and now_us > ARGV[1] + 0 then
  return { now_us }
end
local entries, tickets, number, measure = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local limit, ticket, job = ARGV[2] + 0, ARGV[3], ARGV[4]
local length = redis.call('XLEN', entries)
if length >= limit then
  --@include group
  --@include progress
  --@include place
  return { now_us, 0, next_place_us(measure, limit, length > progress_of(entries)) }
end

-- Before anything is taken, so that a command that Redis forbids its user leaves no job behind.
if length == 0 then
  redis.call('HSET', measure, 'since', string.format('%.0f', now_us))
else
  redis.call('HSET', tickets, '', '')
end
local measured = ARGV[5] == '1' and measure_of(measure) or {}
local count = redis.call('INCR', number)
local id
if count > 1 or length == 0 then
  local ms = string.format('%.0f', math.floor(now_us / 1000))
  id = redis.pcall('XADD', entries, string.format('%s-%.0f', ms, count), 't', ticket, 'j', job)
end
if not id or type(id) == 'table' and string.find(id.err, 'smaller', 1, true) then
  -- The number was lost, or the server's clock has stepped back: the stream knows better.
  local info = redis.call('XINFO', 'STREAM', entries)
  for i = 1, #info, 2 do
    if info[i] == 'last-generated-id' then
      local last_ms, last_count = string.match(info[i + 1], '^(%d+)%-(%d+)$')
      count = string.format('%.0f', math.max(count, last_count + 1))
      redis.call('SET', number, count)
      id = redis.pcall('XADD', entries, last_ms .. '-' .. count, 't', ticket, 'j', job)
    end
  end
end
if type(id) == 'table' then
  redis.call('DECR', number)
  return id
end
redis.call('HSET', tickets, ticket, id)
return { now_us, 1, length + 1, unpack(measured) }
