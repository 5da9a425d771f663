--[[
Where a ticket stands.
KEYS   entries (stream), tickets (hash), measure (hash), result (string)
ARGV   1 ticket
Reply  now_us, then
         "waiting", position, and the measure: gaps, their µs, past gaps, their µs, last finish, whether work waited after it,
           mean work, since when there is work, instant last given to a refused caller
         "running", attempt
         "ended", how: as finish.lua was given it
         "unknown"
TTL    none, as in offer.lua.
Times in whole microseconds.
]]
--@include time
--@include group
--@include holder
--@include progress
--@include measure
local entries, tickets, measure, result, ticket = KEYS[1], KEYS[2], KEYS[3], KEYS[4], ARGV[1]

local function waiting(position)
  return { now_us, 'waiting', position, unpack(measure_of(measure)) }
end

local id = redis.call('HGET', tickets, ticket)
if id then
  local holder, count = holder_of(entries, id)
  if holder == 'retry' then
    return waiting(1)
  elseif holder then
    return { now_us, 'running', count }
  end
  local handed_out, last_id = progress_of(entries)
  local behind = number_of(id) - number_of(last_id)
  if behind > 0 then
    return waiting(math.min(behind + handed_out, redis.call('XLEN', entries)))
  end
  -- Somebody has taken it out of the group, or of the stream.
  if redis.call('XRANGE', entries, id, id)[1] then
    return waiting(1)
  end
  redis.call('HDEL', tickets, ticket)
end
local ended = redis.call('GET', result)
if not ended then
  return { now_us, 'unknown' }
end
return { now_us, 'ended', ended }
