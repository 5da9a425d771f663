--[[
One request an interval: the gate closes for the interval after each admitted request.
State    string "OPENS", the instant at which the gate opens; "OPENS:REACH" where a policy that was chosen for a call has closed it:
         REACH is how far ahead it may open at most
ARGV     interval_us, horizon_us (interval and debt), "1" where the policy was chosen for this call
Receipt  OPENS after the take
TTL      until the gate opens
]]
local function write(key, opens_us, reach_us)
  local value = digits(opens_us)
  keep(key, reach_us and string.format('%s:%.0f', value, reach_us) or value, opens_us - now_us)
  return value
end

-- How far ahead the gate may open at most, once the call's numbers close it until `opens_us`; nil where no chosen policy is involved.
local function reach_of(at, reach_us, opens_us)
  if ARGV[at + 2] == '1' or reach_us then
    return math.max(reach_us or 0, ARGV[at + 1] + 0, opens_us - now_us)
  end
end

-- When the gate opens, and how far ahead that may be at most; nil and the reply where it is no such state.
local function read(key, at)
  local raw = fetch(key)
  if not raw then
    return 0
  end
  local opens_us, reach_us = tonumber(raw), nil
  if not opens_us then
    if type(raw) ~= 'string' then
      return nil, raw
    end
    opens_us, reach_us = string.match(raw, '^(%d+):(%d+)$')
    if not opens_us then
      return nil, raw
    end
    opens_us, reach_us = tonumber(opens_us), tonumber(reach_us)
  end
  if not giving and (reach_us or ARGV[at + 2] ~= '1') then
    local furthest_us = now_us + math.max(ARGV[at + 1] + 0, reach_us or 0)
    if opens_us > furthest_us + slip_us then
      opens_us = furthest_us
      write(key, opens_us, reach_us)
    end
  end
  if opens_us <= now_us then
    reach_us = nil
  end
  return opens_us, reach_us
end

local function look(key, at, cost)
  local interval_us = ARGV[at] + 0
  local opens_us, reach_us = read(key, at)
  if not opens_us then
    return nil, reach_us
  end
  local next_us = math.max(opens_us, now_us) + interval_us
  reach_us = reach_of(at, reach_us, next_us)
  if opens_us <= now_us then
    if cost == 0 then
      return 0, 0, 1, 0, 0
    end
    return 0, 0, 0, 0, interval_us, next_us, reach_us
  end
  if cost == 0 then
    return 0, 0, 0, 0, opens_us - now_us
  end
  return 1, 0, 0, opens_us - now_us, opens_us - now_us, next_us, reach_us, next_us - now_us
end

local function take(key, at, cost, opens_us, reach_us)
  return write(key, opens_us, reach_us)
end

-- The gate opens again as this request found it, unless another request has moved it since.
local function give(key, at, units, receipt, charged)
  local opens_us, reach_us = read(key, at)
  if units < charged or opens_us ~= tonumber(receipt) then
    return
  end
  if opens_us - ARGV[at] > now_us then
    write(key, opens_us - ARGV[at], reach_us)
  else
    redis.call('DEL', key)
  end
end

-- The gate opens `units` intervals earlier.
local function reward(key, at, units)
  local opens_us, reach_us = read(key, at)
  if not opens_us or opens_us <= now_us then
    return
  end
  opens_us = opens_us - units * ARGV[at]
  if opens_us > now_us then
    write(key, opens_us, reach_us)
  else
    redis.call('DEL', key)
  end
end

local function charge(key, at, units)
  local opens_us, reach_us = read(key, at)
  if opens_us then
    local charged_us = math.min(math.max(opens_us, now_us) + units * ARGV[at], now_us + ARGV[at + 1])
    opens_us = math.max(opens_us, charged_us)
    write(key, opens_us, reach_of(at, reach_us, opens_us))
  end
end

-- The next call waits at least this long; a longer wait stays as it is.
local function raise(key, at, wait_us)
  local opens_us, reach_us = read(key, at)
  local raised_us = math.min(now_us + wait_us, now_us + ARGV[at + 1])
  if opens_us and raised_us > opens_us then
    write(key, raised_us, reach_of(at, reach_us, raised_us))
  end
end
