--[[
At most a limit in any span of one window, exactly: every admission is kept for a window.
State    sorted set: score = instant of the admission, member "INSTANT:CALL:NUMBER"
ARGV     limit, window_us, call (tells this call from every other)
Receipt  "INSTANT:CALL"
TTL      one window after the last admission
]]
--@include chunks
--@include entries
local function look(key, at, cost)
  local limit, dead_us, latest_us, longest_us = ARGV[at] + 0, now_us - ARGV[at + 1], now_us, math.huge
  --@include look_entries
end

local function take(key, at, cost, count, newest_us)
  local window_us, admitted_us = ARGV[at + 1] + 0, math.max(now_us, newest_us)
  local mark = string.format('%.0f:%s', now_us, ARGV[at + 2])
  -- First, as a server without memory refuses it only as long as the script has written nothing.
  add(key, admitted_us, mark, cost, count)
  redis.call('ZREMRANGEBYSCORE', key, '-inf', string.format('%.0f', now_us - window_us))
  live(key, admitted_us + window_us - now_us)
  return mark
end

local function give(key, at, units, receipt, charged)
  if read_entries(key, now_us - ARGV[at + 1], now_us) then
    remove_entries(key, receipt, units, charged)
  end
end

-- The newest entries. Of those of one instant the latest call's go first, and of a call's the first ones: `give` takes the last.
local function reward(key, at, units)
  local dead_us = now_us - ARGV[at + 1]
  local newest_us, count = read_entries(key, dead_us, now_us)
  if not newest_us or count == 0 then
    return
  end
  local left = math.min(units, count)
  local nth = redis.call('ZREVRANGE', key, left - 1, left - 1, 'WITHSCORES')[2]
  left = left - redis.call('ZREMRANGEBYSCORE', key, '(' .. nth, '+inf')
  remove_latest(key, nth, left)
end
