--[[
Several limits over one stream of requests: counts per slot of time, of which each window sums its own.
State    hash: end of a slot -> count
ARGV     slot_us, number of windows, then limit and window_us of each, the shortest first
Receipt  end of the slot charged
TTL      until the longest window has left the newest slot
]]
-- Slots as { end_us, count }, the oldest first, the current one's end, the fields that no window counts any more, and the end
-- of the newest slot once the current one is stored; nil and the reply where it is no such state.
local function read(key, slot_us, longest_us)
  local fields = redis.pcall('HGETALL', key)
  if fields.err then
    return nil, fields
  end
  local current_us = now_us - now_us % slot_us + slot_us
  -- After a change of the slots' length, or a small step back of the clock, a slot may end later than the current one.
  local slots, dead, newest_us, ahead = {}, {}, 0, nil
  for i = 1, #fields, 2 do
    local end_us, count = tonumber(fields[i]), tonumber(fields[i + 1])
    if end_us > now_us + slot_us + slip_us then
      ahead = (ahead or 0) + count
      redis.call('HDEL', key, fields[i])
    elseif end_us + longest_us <= now_us then
      dead[#dead + 1] = fields[i]
    else
      slots[#slots + 1] = { end_us, count }
      newest_us = math.max(newest_us, end_us)
    end
  end
  if ahead then
    -- The slot that is gone had given the key its life, also where all of its count had been given back.
    if ahead > 0 then
      redis.call('HINCRBY', key, string.format('%.0f', current_us), ahead)
      newest_us = math.max(newest_us, current_us)
    end
    if newest_us > 0 then
      live(key, newest_us + longest_us - now_us)
    else
      redis.call('DEL', key)
    end
    return read(key, slot_us, longest_us)
  end
  table.sort(slots, function(a, b)
    return a[1] < b[1]
  end)
  return slots, current_us, dead, math.max(newest_us, current_us)
end

-- What a window counts, and how long until so much of it has left that the cost fits.
local function sum_window(slots, limit, window_us, cost)
  local sum, wait_us = 0, 0
  for _, slot in ipairs(slots) do
    if slot[1] + window_us > now_us then
      sum = sum + slot[2]
    end
  end
  local rest = sum
  for _, slot in ipairs(slots) do
    if rest + cost <= limit then
      break
    end
    if slot[1] + window_us > now_us then
      rest = rest - slot[2]
      wait_us = slot[1] + window_us - now_us
    end
  end
  return sum, wait_us
end

local function look(key, at, cost)
  local windows = ARGV[at + 1] + 0
  local longest_us = ARGV[at + 1 + 2 * windows] + 0
  local slots, current_us, dead, newest_us = read(key, ARGV[at] + 0, longest_us)
  if not slots then
    return nil, current_us
  end
  local wait_us, left, left_limit, waits_left, waits_limit = 0, math.huge, 0, 0, 0
  for i = 1, windows do
    local limit = ARGV[at + 2 * i] + 0
    local sum, window_wait_us = sum_window(slots, limit, ARGV[at + 1 + 2 * i] + 0, cost)
    local rest = math.max(0, limit - sum)
    if rest <= left then
      left, left_limit = rest, limit
    end
    if cost > 0 and sum + cost > limit and window_wait_us >= wait_us then
      wait_us, waits_left, waits_limit = window_wait_us, rest, limit
    end
  end
  local reset_us = 0
  if #slots > 0 then
    reset_us = slots[#slots][1] + longest_us - now_us
  end
  if cost > ARGV[at + 2] + 0 then
    return 3, waits_limit, waits_left, -1, reset_us, current_us, dead, newest_us
  end
  if wait_us > 0 then
    return 1, waits_limit, waits_left, wait_us, reset_us, current_us, dead, newest_us
  end
  if cost > 0 then
    reset_us = newest_us + longest_us - now_us
  end
  return 0, left_limit, left - cost, 0, reset_us, current_us, dead, newest_us
end

local function take(key, at, cost, current_us, dead, newest_us)
  local field = string.format('%.0f', current_us)
  redis.call('HINCRBY', key, field, cost)
  if #dead > 0 then
    redis.call('HDEL', key, unpack(dead))
  end
  live(key, newest_us + ARGV[at + 1 + 2 * ARGV[at + 1]] - now_us)
  return field
end

-- Out of the slot that was charged, while it is still stored.
local function give(key, at, units, receipt)
  local slots = read(key, ARGV[at] + 0, ARGV[at + 1 + 2 * ARGV[at + 1]] + 0)
  local count = slots and tonumber(redis.call('HGET', key, receipt) or nil)
  -- Of nothing nothing: -0 would be sent as '-0', which is no integer to a server.
  if count and count > 0 then
    redis.call('HINCRBY', key, receipt, -math.min(count, units))
  end
end

-- Out of the newest slots.
local function reward(key, at, units)
  local slots = read(key, ARGV[at] + 0, ARGV[at + 1 + 2 * ARGV[at + 1]] + 0)
  for i = slots and #slots or 0, 1, -1 do
    local given = math.min(units, slots[i][2])
    if given > 0 then
      redis.call('HINCRBY', key, string.format('%.0f', slots[i][1]), -given)
      units = units - given
    end
  end
end
