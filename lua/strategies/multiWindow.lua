--[[
Several limits over one stream of requests: counts per slot of time, of which each window sums its own.
State    hash: END of a slot -> count; "END:LONGEST_US" where it was charged by a policy that was chosen for the call
ARGV     slot_us, "1" where the policy was chosen for this call, number of windows, then limit and window_us of each, the shortest
         first
Receipt  the field of the slot charged
TTL      until the longest window has left the newest slot
]]
-- The longest window of the call.
local function longest_of(at)
  return ARGV[at + 2 + 2 * ARGV[at + 2]] + 0
end

-- The field of a slot; span_us is 0 where the limiter's own numbers charge it.
local function field_of(end_us, span_us)
  return span_us > 0 and string.format('%.0f:%.0f', end_us, span_us) or string.format('%.0f', end_us)
end

-- The life of a key whose newest slot ends at `newest_us`. `mixed`: never shorter than before, as other numbers may need it longer.
local function life_of(key, newest_us, longest_us, mixed)
  local life_us = newest_us + longest_us - now_us
  return mixed and math.max(life_us, left_us(key)) or life_us
end

-- Moves the counts of slots too far ahead into the current one.
local function move_ahead(key, ahead, newest_us, current_us, longest_us, mixed)
  -- The key's life came from the slot that is removed, even where its whole count was given back: it is set anew.
  for span_us, count in pairs(ahead) do
    if count > 0 then
      redis.call('HINCRBY', key, field_of(current_us, span_us), count)
      newest_us = math.max(newest_us, current_us)
    end
  end
  if newest_us > 0 then
    live(key, life_of(key, newest_us, longest_us, mixed))
  else
    redis.call('DEL', key)
  end
end

-- Answers the slots as { end_us, count, span_us }, the oldest first, the current one's end, the fields that no window counts any more,
-- the end of the newest slot once the current one is stored, and whether the key has, or gets, charges of chosen policies; nil and the
-- reply where it is no such state.
local function read(key, at)
  local slot_us, chosen, longest_us = ARGV[at] + 0, ARGV[at + 1] == '1', longest_of(at)
  local fields = redis.pcall('HGETALL', key)
  if fields.err then
    return nil, fields
  end
  local current_us, latest_us = now_us - now_us % slot_us + slot_us, now_us + slot_us + slip_us
  -- After a change of the slots' length, or a small step back of the clock, a slot may end later than the current one.
  local slots, dead, newest_us, ahead, mixed = {}, {}, 0, {}, chosen
  for i = 1, #fields, 2 do
    local end_us, span_us, count = tonumber(fields[i]), 0, tonumber(fields[i + 1])
    local is_ahead, lives
    if end_us then
      is_ahead, lives = not chosen and end_us > latest_us, chosen or end_us + longest_us > now_us
    else
      end_us, span_us = string.match(fields[i], '^(%d+):(%d+)$')
      end_us, span_us = tonumber(end_us), tonumber(span_us)
      is_ahead = end_us > math.max(latest_us, now_us + span_us + slip_us)
      lives = end_us + math.max(longest_us, span_us) > now_us
    end
    if is_ahead and not giving then
      ahead[span_us] = (ahead[span_us] or 0) + count
      mixed = mixed or span_us > 0 and count > 0
      redis.call('HDEL', key, fields[i])
    elseif not lives then
      dead[#dead + 1] = fields[i]
    else
      slots[#slots + 1] = { end_us, count, span_us }
      newest_us, mixed = math.max(newest_us, end_us), mixed or span_us > 0
    end
  end
  if next(ahead) then
    move_ahead(key, ahead, newest_us, current_us, longest_us, mixed)
    return read(key, at)
  end
  table.sort(slots, function(a, b)
    return a[1] < b[1] or a[1] == b[1] and a[3] < b[3]
  end)
  return slots, current_us, dead, math.max(newest_us, current_us), mixed
end

-- What a window counts, and how long it takes until so much of that has left the window that the cost fits.
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
  local windows, longest_us = ARGV[at + 2] + 0, longest_of(at)
  local slots, current_us, dead, newest_us, mixed = read(key, at)
  if not slots then
    return nil, current_us
  end
  local wait_us, left, left_limit, waits_left, waits_limit = 0, math.huge, 0, 0, 0
  for i = 1, windows do
    local limit = ARGV[at + 1 + 2 * i] + 0
    local sum, window_wait_us = sum_window(slots, limit, ARGV[at + 2 + 2 * i] + 0, cost)
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
    reset_us = math.max(0, slots[#slots][1] + longest_us - now_us)
  end
  if cost > ARGV[at + 3] + 0 then
    return 3, waits_limit, waits_left, -1, reset_us, current_us, dead, newest_us, mixed
  end
  if wait_us > 0 then
    return 1, waits_limit, waits_left, wait_us, reset_us, current_us, dead, newest_us, mixed
  end
  if cost > 0 then
    reset_us = newest_us + longest_us - now_us
  end
  return 0, left_limit, left - cost, 0, reset_us, current_us, dead, newest_us, mixed
end

local function take(key, at, cost, current_us, dead, newest_us, mixed)
  local longest_us = longest_of(at)
  local field = field_of(current_us, ARGV[at + 1] == '1' and longest_us or 0)
  redis.call('HINCRBY', key, field, cost)
  if #dead > 0 then
    redis.call('HDEL', key, unpack(dead))
  end
  live(key, life_of(key, newest_us, longest_us, mixed))
  return field
end

-- Gives back out of the slot that was charged, while it is still stored.
local function give(key, at, units, receipt)
  local count = tonumber(redis.pcall('HGET', key, receipt) or nil)
  -- Not where the count is 0: -0 would be sent as '-0', which is no integer to a server.
  if count and count > 0 then
    redis.call('HINCRBY', key, receipt, -math.min(count, units))
  end
end

-- Gives back out of the newest slots.
local function reward(key, at, units)
  local slots, longest_us = read(key, at), longest_of(at)
  for i = slots and #slots or 0, 1, -1 do
    local end_us, count, span_us = unpack(slots[i])
    local given = end_us + longest_us > now_us and math.min(units, count) or 0
    if given > 0 then
      redis.call('HINCRBY', key, field_of(end_us, span_us), -given)
      units = units - given
    end
  end
end

-- Where callers can reserve: when every window is within its limit.
local function due(key, at)
  local slots, reply = read(key, at)
  if not slots then
    return nil, reply
  end
  local longest_wait_us = 0
  for i = 1, ARGV[at + 2] do
    local _, wait_us = sum_window(slots, ARGV[at + 1 + 2 * i] + 0, ARGV[at + 2 + 2 * i] + 0, 0)
    longest_wait_us = math.max(longest_wait_us, wait_us)
  end
  return now_us + longest_wait_us
end

local function book(key, at, cost, at_us)
  local slot_us = ARGV[at] + 0
  local end_us = at_us - at_us % slot_us + slot_us
  local _, _, dead, newest_us, mixed = read(key, at)
  return take(key, at, cost, end_us, dead, math.max(newest_us, end_us), mixed)
end

-- How far ahead calls with chosen policies let slots lie. It is stored in "0:0", a slot that no window counts.
local function reach_of(key)
  local us = redis.pcall('HGET', key, '0:0')
  return type(us) == 'string' and tonumber(us) or 0
end

local function keep_reach(key, us)
  redis.call('HSET', key, '0:0', string.format('%.0f', us))
end

local function newest_of(key, at)
  local slots = read(key, at)
  for i = #slots, 1, -1 do
    if slots[i][2] > 0 then
      return string.format('%.0f:%.0f', unpack(slots[i]))
    end
  end
  return ''
end
