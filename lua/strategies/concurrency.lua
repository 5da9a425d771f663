--[[
At most a limit in flight at once: each unit is a lease, which ends unless it is renewed.
State    sorted set: score = end of the lease, member "CALL:NUMBER"
ARGV     limit, lease_us, call (tells this call from every other)
Receipt  "CALL"
TTL      until the newest lease ends
]]
--@include chunks
--@include entries
-- The end of a lease says little of when its place is free, as it may be given back or renewed: advice, a second at most.
local function look(key, at, cost)
  local status, limit, remaining, wait_us, reset_us, count =
    look_entries(key, ARGV[at] + 0, now_us, now_us + ARGV[at + 1], cost)
  if not status then
    return nil, limit
  end
  return status, limit, remaining, math.min(wait_us, 1000000), reset_us, count
end

local function take(key, at, cost, count)
  local call = ARGV[at + 2]
  add_entries(key, now_us, now_us + ARGV[at + 1], call, cost, count)
  return call
end

-- A lease is given back as a whole.
local function give(key, at, units, receipt, charged)
  if read_entries(key, now_us, now_us + ARGV[at + 1]) then
    remove_entries(key, receipt, charged, charged)
  end
end

-- One that has ended is taken again only where there is room: its place may be another's by now.
local function renew(key, at, units, receipt)
  local end_us = now_us + ARGV[at + 1]
  local newest_us, count = read_entries(key, now_us, end_us)
  if not newest_us then
    return nil, count
  end
  local held = tonumber(redis.call('ZSCORE', key, receipt .. ':1') or 0) > now_us
  if held then
    count = count - units
  elseif count + units > ARGV[at] + 0 then
    return 0
  end
  add_entries(key, now_us, end_us, receipt, units, count)
  return held and 2 or 1
end
