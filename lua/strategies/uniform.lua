--[[
One request an interval: the gate closes for the interval after each admitted request.
State    string, the instant at which the gate opens
ARGV     interval_us, horizon_us (interval and debt)
Receipt  the state after the take
TTL      until the gate opens
]]
local function write(key, opens_us)
  local value = string.format('%.0f', opens_us)
  keep(key, value, opens_us - now_us)
  return value
end

-- When the gate opens; nil and the reply where it is no such state.
local function read(key, horizon_us)
  local raw = fetch(key)
  if not raw then
    return 0
  end
  local opens_us = tonumber(raw)
  if not opens_us then
    return nil, raw
  end
  if opens_us > now_us + horizon_us + slip_us then
    opens_us = now_us + horizon_us
    write(key, opens_us)
  end
  return opens_us
end

local function look(key, at, cost)
  local interval_us = ARGV[at] + 0
  local opens_us, raw = read(key, ARGV[at + 1] + 0)
  if not opens_us then
    return nil, raw
  end
  if opens_us <= now_us then
    if cost == 0 then
      return 0, 0, 1, 0, 0
    end
    return 0, 0, 0, 0, interval_us, now_us + interval_us
  end
  if cost == 0 then
    return 0, 0, 0, 0, opens_us - now_us
  end
  local next_us = opens_us + interval_us
  return 1, 0, 0, opens_us - now_us, opens_us - now_us, next_us, nil, next_us - now_us
end

local function take(key, at, cost, opens_us)
  return write(key, opens_us)
end

-- The gate opens again as this request found it, only if it is still the one that this request closed.
local function give(key, at, units, receipt, charged)
  local opens_us = read(key, ARGV[at + 1] + 0)
  if units < charged or opens_us ~= tonumber(receipt) then
    return
  end
  if opens_us - ARGV[at] > now_us then
    write(key, opens_us - ARGV[at])
  else
    redis.call('DEL', key)
  end
end

-- The gate opens so many intervals earlier.
local function reward(key, at, units)
  local opens_us = read(key, ARGV[at + 1] + 0)
  if not opens_us or opens_us <= now_us then
    return
  end
  opens_us = opens_us - units * ARGV[at]
  if opens_us > now_us then
    write(key, opens_us)
  else
    redis.call('DEL', key)
  end
end

local function charge(key, at, units)
  local horizon_us = ARGV[at + 1] + 0
  local opens_us = read(key, horizon_us)
  if opens_us then
    local charged_us = math.min(math.max(opens_us, now_us) + units * ARGV[at], now_us + horizon_us)
    write(key, math.max(opens_us, charged_us))
  end
end

-- The next call waits at least this long: raised, never added.
local function raise(key, at, wait_us)
  local horizon_us = ARGV[at + 1] + 0
  local opens_us = read(key, horizon_us)
  local raised_us = math.min(now_us + wait_us, now_us + horizon_us)
  if opens_us and raised_us > opens_us then
    write(key, raised_us)
  end
end
