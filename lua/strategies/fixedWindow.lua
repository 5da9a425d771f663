--[[
At most a limit a window; the window starts at the first hit, or is aligned to the clock.
State    string "END:COUNT"; END has sixteen digits until the year 2286
ARGV     limit, window_us, aligned ("1" or "0")
Receipt  END
TTL      until END
]]
--@include window
local function write(key, end_us, count, running)
  local value = string.format('%.0f:%d', end_us, count)
  if running then
    -- The life that the window was given at its first hit goes on.
    redis.call('SET', key, value, 'KEEPTTL')
  else
    save(key, value, end_us - now_us)
  end
end

-- End and count; nil and the reply where it is no such state.
local function read(key, window_us)
  local raw = redis.pcall('GET', key)
  if not raw then
    return 0, 0
  end
  if type(raw) ~= 'string' then
    return nil, raw
  end
  local end_us, count = tonumber(string.sub(raw, 1, 16)), tonumber(string.sub(raw, 18))
  if not count then
    return nil, raw
  end
  if end_us > now_us + window_us then
    end_us = now_us + window_us
    write(key, end_us, count)
  end
  return end_us, count
end

local function look(key, at, cost)
  local limit, window_us = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
  local end_us, count = read(key, window_us)
  if not end_us then
    return nil, count
  end
  local running = end_us > now_us
  if not running then
    end_us, count = window_end(window_us, ARGV[at + 2]), 0
  end
  return look_window(limit, end_us, count, cost, running)
end

local function take(key, at, cost, end_us, count, running)
  write(key, end_us, count, running)
  return end_us
end

-- Only into the window that was charged.
local function give(key, at, units, receipt)
  local end_us, count = read(key, tonumber(ARGV[at + 1]))
  if end_us and end_us > now_us and end_us == tonumber(receipt) then
    write(key, end_us, math.max(0, count - units), true)
  end
end
