--[[
A fixed window that remembers who used it: a short text for each admitted unit.
State    list: END, then "INSTANT:CALL NOTE" for each unit
ARGV     limit, window_us, call (tells this call from every other), note
Receipt  "END:INSTANT:CALL"
TTL      until END
]]
--@include chunks
--@include window
-- End and count; nil and the reply where it is no such state.
local function read(key, window_us)
  local length = redis.pcall('LLEN', key)
  if type(length) ~= 'number' then
    return nil, length
  end
  if length == 0 then
    return 0, 0
  end
  local head = redis.call('LINDEX', key, 0)
  local end_us = tonumber(head)
  if not end_us then
    return nil, head
  end
  if end_us > now_us + window_us + slip_us then
    end_us = now_us + window_us
    redis.call('LSET', key, 0, string.format('%.0f', end_us))
    live(key, window_us)
  end
  return end_us, length - 1
end

local function look(key, at, cost)
  local limit, window_us = ARGV[at] + 0, ARGV[at + 1] + 0
  local end_us, count = read(key, window_us)
  if not end_us then
    return nil, count
  end
  local running = end_us > now_us
  if not running then
    end_us, count = now_us + window_us, 0
  end
  return look_window(limit, end_us, count, cost, running)
end

local function take(key, at, cost, end_us, total, running)
  local head = string.format('%.0f', end_us)
  local mark = string.format('%.0f:%s', now_us, ARGV[at + 2])
  if not running then
    redis.call('DEL', key)
    redis.call('RPUSH', key, head)
  end
  push(key, mark .. ' ' .. ARGV[at + 3], cost, total - cost)
  if not running then
    live(key, end_us - now_us)
  end
  return head .. ':' .. mark
end

-- Only out of the window that was charged, and only its own entries.
local function give(key, at, units, receipt)
  local end_us = read(key, ARGV[at + 1] + 0)
  local head, mark = string.match(receipt, '^(%d+):(.*)$')
  if end_us and end_us > now_us and end_us == tonumber(head) then
    redis.call('LREM', key, -units, mark .. ' ' .. ARGV[at + 3])
  end
end

-- The newest entries, those that are equal by one command: the last so many of them are at the end of the list.
local function reward(key, at, units)
  local end_us, count = read(key, ARGV[at + 1] + 0)
  if not end_us or end_us <= now_us or count == 0 then
    return
  end
  local newest, equal = redis.call('LRANGE', key, -math.min(units, count), -1), 0
  for i = #newest, 1, -1 do
    equal = equal + 1
    if newest[i] ~= newest[i - 1] then
      redis.call('LREM', key, -equal, newest[i])
      equal = 0
    end
  end
end

-- Who used the window up: note and instant of each unit, the oldest first.
local function entries(key)
  local listed = {}
  local end_us = tonumber(redis.call('LINDEX', key, 0) or nil)
  if end_us and end_us > now_us then
    for _, entry in ipairs(redis.call('LRANGE', key, 1, -1)) do
      local instant, note = string.match(entry, '^(%d+):%S* (.*)$')
      listed[#listed + 1] = note
      listed[#listed + 1] = tonumber(instant)
    end
  end
  return listed
end
