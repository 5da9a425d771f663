--[[
Approximate sliding window: this window's count, and the last one's weighted by how much of it still overlaps.
State    string "END:COUNT:PREVIOUS"; END lies on the grid of the window
ARGV     limit, window_us
Receipt  END
TTL      until the end of the next window
]]
local function write(key, end_us, count, previous, window_us)
  keep(key, string.format('%.0f:%d:%d', end_us, count, previous), end_us - now_us + window_us)
end

-- End, count and previous as of now; nil and the reply where it is no such state.
local function read(key, window_us)
  local current_us = now_us - now_us % window_us + window_us
  local raw = fetch(key)
  if not raw then
    return current_us, 0, 0
  end
  if type(raw) ~= 'string' then
    return nil, raw
  end
  local end_us, count, previous = string.match(raw, '^(%d+):(%d+):(%d+)$')
  if not end_us then
    return nil, raw
  end
  end_us, count, previous = tonumber(end_us), tonumber(count), tonumber(previous)
  if end_us > now_us + window_us + slip_us or end_us % window_us ~= 0 then
    write(key, current_us, count + previous, 0, window_us)
    return current_us, count + previous, 0
  end
  if end_us > now_us then
    return end_us, count, previous
  end
  if end_us + window_us > now_us then
    return current_us, 0, count
  end
  return current_us, 0, 0
end

local function look(key, at, cost)
  local limit, window_us = ARGV[at] + 0, ARGV[at + 1] + 0
  local end_us, count, previous = read(key, window_us)
  if not end_us then
    return nil, count
  end
  local rest_us = end_us - now_us
  local spare = limit - count - cost
  local fits = spare >= 0 and (previous == 0 or rest_us <= math.floor(spare * window_us / previous))
  local total = count
  if fits then
    total = count + cost
  end
  local reset_us = 0
  if total > 0 then
    reset_us = rest_us + window_us
  elseif previous > 0 then
    reset_us = rest_us
  end
  local remaining = math.max(0, limit - total - math.ceil(previous * rest_us / window_us))
  if fits or cost == 0 then
    return 0, 0, remaining, 0, reset_us, end_us, total, previous
  end
  if cost > limit then
    return 3, 0, remaining, -1, reset_us, end_us, count + cost, previous
  end
  local wait_us
  if spare >= 0 then
    wait_us = rest_us - math.floor(spare * window_us / previous)
  else
    wait_us = rest_us + math.max(0, window_us - math.floor((limit - cost) * window_us / count))
  end
  return 1, 0, remaining, wait_us, reset_us, end_us, count + cost, previous
end

local function take(key, at, cost, end_us, count, previous)
  write(key, end_us, count, previous, ARGV[at + 1] + 0)
  return end_us
end

-- Out of the counter that was charged, as long as it is one of the two.
local function give(key, at, units, receipt)
  local window_us = ARGV[at + 1] + 0
  local end_us, count, previous = read(key, window_us)
  if end_us == tonumber(receipt) then
    write(key, end_us, math.max(0, count - units), previous, window_us)
  elseif end_us and end_us - window_us == tonumber(receipt) then
    write(key, end_us, count, math.max(0, previous - units), window_us)
  end
end

-- Out of this window's counter, then out of the last one's.
local function reward(key, at, units)
  local window_us = ARGV[at + 1] + 0
  local end_us, count, previous = read(key, window_us)
  if end_us and count + previous > 0 then
    local rest = math.max(0, units - count)
    write(key, end_us, math.max(0, count - units), math.max(0, previous - rest), window_us)
  end
end
