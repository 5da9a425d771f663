--[[
Counts every request in a window. One beyond max may begin the window anew, or one that is twice as long each time.
State    string "END:COUNT"; END has sixteen digits until the year 2286
ARGV     max, window_us, renewal ("0" never, "1" anew, "2" twice as long each time)
Receipt  END
TTL      until END
]]
--@include stored_window
local function take(key, at, cost, end_us, count)
  keep(key, string.format('%.0f:%d', end_us, count), end_us - now_us)
  return end_us
end

-- The length of the window that a request begins which is so far beyond max: a year at most.
local function span(at, excess)
  local window_us = ARGV[at + 1] + 0
  if ARGV[at + 2] == '2' and excess > 1 then
    return math.min(window_us * 2 ^ (excess - 1), 31622400000000)
  end
  return window_us
end

local function look(key, at, cost)
  local max = ARGV[at] + 0
  local end_us, count = stored_window(key)
  if not end_us then
    return nil, count
  end
  local furthest_us = now_us + span(at, count - max)
  if end_us > furthest_us + slip_us then
    end_us = furthest_us
    take(key, at, 0, end_us, count)
  end
  if end_us <= now_us then
    end_us, count = cost > 0 and now_us + ARGV[at + 1] or now_us, cost
  elseif cost > 0 then
    count = count + cost
    if count > max and ARGV[at + 2] ~= '0' then
      end_us = now_us + span(at, count - max)
    end
  end
  return 0, 0, 1000000000000000 - count, 0, end_us - now_us, end_us, count
end
