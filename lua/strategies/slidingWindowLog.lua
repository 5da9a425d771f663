--[[
At most a limit in any span of one window, exactly: every admission is kept for a window.
State    sorted set: score = instant of the admission, member "INSTANT:CALL:NUMBER"
ARGV     limit, window_us, call (tells this call from every other)
Receipt  "INSTANT:CALL"
TTL      one window after the last admission
]]
--@include chunks
-- Admissions that lie ahead of the clock are moved to now.
local function repair(key, window_us)
  local ahead = redis.call('ZRANGEBYSCORE', key, string.format('(%.0f', now_us), '+inf')
  for _, member in ipairs(ahead) do
    redis.call('ZADD', key, now_us, member)
  end
  live(key, window_us)
end

-- Instant of the newest admission and how many live; nil and the reply where it is no such state.
local function read(key, window_us)
  local newest = redis.pcall('ZREVRANGE', key, 0, 0, 'WITHSCORES')
  if newest.err then
    return nil, newest
  end
  local newest_us = tonumber(newest[2] or 0)
  if newest_us <= now_us - window_us then
    return 0, 0
  end
  if newest_us > now_us then
    repair(key, window_us)
    newest_us = now_us
  end
  return newest_us, redis.call('ZCOUNT', key, string.format('(%.0f', now_us - window_us), '+inf')
end

local function look(key, at, cost)
  local limit, window_us = ARGV[at] + 0, ARGV[at + 1] + 0
  local newest_us, count = read(key, window_us)
  if not newest_us then
    return nil, count
  end
  local reset_us = 0
  if count > 0 then
    reset_us = newest_us + window_us - now_us
  end
  local left = math.max(0, limit - count)
  if cost == 0 then
    return 0, 0, left, 0, reset_us
  end
  if count + cost <= limit then
    return 0, 0, left - cost, 0, window_us, count
  end
  if cost > limit then
    return 3, 0, left, -1, reset_us, count
  end
  -- Enough has left the window when this admission has; counted from the newest, as dead ones may still be stored.
  local nth = limit - cost
  local leaving = redis.call('ZREVRANGE', key, nth, nth, 'WITHSCORES')
  return 1, 0, left, leaving[2] + window_us - now_us, reset_us, count
end

local function take(key, at, cost, count)
  local window_us = ARGV[at + 1] + 0
  local mark = string.format('%.0f:%s', now_us, ARGV[at + 2])
  -- First, as a server without memory refuses it only as long as the script has written nothing.
  add(key, mark, cost, count)
  redis.call('ZREMRANGEBYSCORE', key, '-inf', string.format('%.0f', now_us - window_us))
  live(key, window_us)
  return mark
end

local function give(key, at, units, receipt, charged)
  if type(read(key, ARGV[at + 1] + 0)) == 'number' then
    for number = charged - units + 1, charged do
      redis.call('ZREM', key, receipt .. ':' .. number)
    end
  end
end
