--[[
Counts every request in a window. A request beyond max may begin the window anew, or begin one that is twice as long each time. Requests
with other numbers never end a window earlier.
State    string "END:COUNT:SPAN"; END has sixteen digits until the year 2286, SPAN is the time from the window's beginning to its end
ARGV     max, window_us, renewal ("0" never, "1" anew, "2" twice as long each time), grows ("1": a longer window makes the running one as
         long)
Receipt  none: nothing is given back by one
TTL      until END
]]
--@include stored_window
-- A limit that no count reaches.
local most = 1000000000000000

local function take(key, at, cost, end_us, count, span_us)
  keep(key, string.format('%.0f:%d:%.0f', end_us, count, span_us), end_us - now_us)
  return 0
end

-- The length of the window that a request begins which is `excess` beyond max: a year at most.
local function span_of(at, excess)
  local window_us = ARGV[at + 1] + 0
  if ARGV[at + 2] == '2' and excess > 1 then
    return math.min(window_us * 2 ^ (excess - 1), 31622400000000)
  end
  return window_us
end

local function look(key, at, cost)
  local max = ARGV[at] + 0
  local end_us, count, span_us = stored_window(key)
  if not end_us then
    return nil, count
  end
  if end_us > now_us + span_us + slip_us then
    end_us = now_us + span_us
    take(key, at, 0, end_us, count, span_us)
  end
  if end_us <= now_us then
    span_us = cost > 0 and ARGV[at + 1] + 0 or 0
    end_us, count = now_us + span_us, math.min(cost, most)
  elseif cost > 0 then
    count = math.min(count + cost, most)
    local own_us, own_end_us = 0, 0
    if count > max and ARGV[at + 2] ~= '0' then
      own_us = span_of(at, count - max)
      own_end_us = now_us + own_us
    elseif ARGV[at + 3] == '1' then
      own_us = ARGV[at + 1] + 0
      own_end_us = end_us - span_us + own_us
    end
    if own_end_us > end_us then
      end_us, span_us = own_end_us, own_us
    end
  end
  return 0, 0, most - count, 0, end_us - now_us, end_us, count, span_us
end
