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
  return look_entries(key, ARGV[at] + 0, now_us - ARGV[at + 1], now_us, cost)
end

local function take(key, at, cost, count)
  local mark = string.format('%.0f:%s', now_us, ARGV[at + 2])
  add_entries(key, now_us - ARGV[at + 1], now_us, mark, cost, count)
  return mark
end

local function give(key, at, units, receipt, charged)
  if read_entries(key, now_us - ARGV[at + 1], now_us) then
    remove_entries(key, receipt, units, charged)
  end
end
