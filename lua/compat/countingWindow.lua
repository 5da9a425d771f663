--[[
Counts whatever comes in a window, what is too many as well; that may begin the window anew, or a longer one each time.
State    string "END:COUNT"; END has sixteen digits until the year 2286
ARGV     max, window_us, renewal ("0" never, "1" anew, "2" twice as long each time)
Receipt  END
TTL      until END
]]
local function take(key, at, cost, end_us, count)
  keep(key, string.format('%.0f:%d', end_us, count), end_us - now_us)
  return end_us
end

-- The window that one begins which is too many by so much: a year at most.
local function span(at, excess)
  local window_us = ARGV[at + 1] + 0
  if ARGV[at + 2] == '2' and excess > 1 then
    return math.min(window_us * 2 ^ (excess - 1), 31622400000000)
  end
  return window_us
end

local function look(key, at, cost)
  local max = ARGV[at] + 0
  local end_us, count = 0, 0
  local raw = fetch(key)
  if raw then
    if type(raw) ~= 'string' then
      return nil, raw
    end
    end_us, count = tonumber(string.sub(raw, 1, 16)), tonumber(string.sub(raw, 18))
    if not count then
      return nil, raw
    end
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
