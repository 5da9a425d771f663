--[[
At most a limit in flight at once: each unit is a lease, which ends unless it is renewed.
State    sorted set: score = end of the lease, member "CALL:NUMBER"
ARGV     limit, lease_us, call (tells this call from every other)
Receipt  "CALL"
TTL      until the newest lease ends
]]
--@include chunks
--@include entries
-- A lease may be given back or renewed before it ends, so its end says little of when its place is free: advice of a second at most.
local function look(key, at, cost)
  local limit, dead_us, latest_us, longest_us = ARGV[at] + 0, now_us, now_us + ARGV[at + 1], 1000000
  --@include look_entries
end

-- A key that nobody holds has nothing that has ended.
local function hold(key, end_us, call, units, count, newest_us)
  end_us = math.max(end_us, newest_us)
  -- First, as a server without memory refuses it only as long as the script has written nothing.
  add(key, end_us, call, units, count)
  if newest_us > 0 then
    redis.call('ZREMRANGEBYSCORE', key, '-inf', string.format('%.0f', now_us))
  end
  live(key, end_us - now_us)
end

local function take(key, at, cost, count, newest_us)
  hold(key, now_us + ARGV[at + 1], ARGV[at + 2], cost, count, newest_us)
  return ARGV[at + 2]
end

-- A lease is given back as a whole. What is left is read, and repaired, by the next look.
local function give(key, _, _, receipt, charged)
  remove_entries(key, receipt, charged, charged)
end

local function charge()
  -- Nothing is in flight beyond the limit, whatever it is charged.
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
  hold(key, end_us, receipt, units, count, newest_us)
  return held and 2 or 1
end
