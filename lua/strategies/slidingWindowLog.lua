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
