--[[
Hands out entries: first what others have left, then new ones.
KEYS   entries (stream)
ARGV   1 not_after_us: a call that starts later hands nothing out, as nobody waits for its reply any longer
       2 me: the consumer
       3 room: most that may be handed out
       4 idle_ms: what was not renewed for so long is left
       5 most: attempts of an entry
       6 "1": look for what others have left
Reply  now_us, a list of: id, ticket, job, attempt, how
         "now"    its attempt has begun
         "alone"  claimed for its last attempt, which begins with start.lua: at most one, and then nothing new is read
         "spent"  its attempts are used up
       Past not_after_us: now_us alone.
TTL    none, as in offer.lua.
]]
--@include time
--@include group
--@include entry
if now_us > ARGV[1] + 0 then
  return { now_us }
end
local entries, me, room, idle_ms, most = KEYS[1], ARGV[2], ARGV[3] + 0, ARGV[4], ARGV[5] + 0
local handed = {}
local holds = false

local function hand(entry, attempt, how)
  local ticket, job = contents_of(entry)
  handed[#handed + 1] = { entry[1], ticket, job, attempt, how }
end

-- Hands an entry out without beginning an attempt.
local function keep(id, attempt, how)
  local entry = redis.call('XRANGE', entries, id, id)[1]
  if not entry then
    return redis.call('XACK', entries, 'g', id)
  end
  redis.call('XCLAIM', entries, 'g', me, 0, id, 'JUSTID')
  hand(entry, attempt, how)
end

local function claim(id, attempt)
  if attempt > most then
    keep(id, attempt - 1, 'spent')
  elseif attempt == most then
    -- Further ones are left to other processors: each runs one alone.
    if not holds then
      holds = true
      keep(id, attempt, 'alone')
    end
  else
    -- An empty reply, or false from Redis 6, means that somebody has deleted the entry.
    local entry = redis.call('XCLAIM', entries, 'g', me, 0, id)[1]
    if entry then
      hand(entry, attempt, 'now')
    else
      redis.call('XACK', entries, 'g', id)
    end
  end
end

if ARGV[6] == '1' then
  local left = of_group('XPENDING', entries, 'g', 'IDLE', idle_ms, '-', '+', room)
  for _, pending in ipairs(left) do
    claim(pending[1], pending[4] + 1)
  end
end
if holds or #handed >= room then
  return { now_us, handed }
end

local function read()
  return of_group('XREADGROUP', 'GROUP', 'g', me, 'COUNT', room - #handed, 'STREAMS', entries, '>')
end

local streams, is_lost = read()
if is_lost then
  -- The group begins at the first entry, as those offered before would otherwise never be read.
  redis.call('XGROUP', 'CREATE', entries, 'g', '0', 'MKSTREAM')
  streams = read()
end
for _, stream in ipairs(streams) do
  for _, entry in ipairs(stream[2]) do
    hand(entry, 1, 'now')
  end
end
return { now_us, handed }
