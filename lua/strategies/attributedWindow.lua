--[[
A fixed window that remembers who used it: a short text for each admitted unit.
State    list: END, then "INSTANT:CALL NOTE" for each unit; "END:WINDOW_US" where a policy that was chosen for a call has opened it
ARGV     limit, window_us, "0" or where the policy was chosen for this call, how long the limiter's own windows are, call (tells this
         call from every other), note
Receipt  "END:INSTANT:CALL"
TTL      until END
]]
--@include chunks
--@include window
local function head_of(end_us, span_us)
  return span_us and string.format('%.0f:%.0f', end_us, span_us) or string.format('%.0f', end_us)
end

-- The end, the count, and how long the windows of the chosen policy are that has opened it; nil and the reply where it is no such state.
local function read(key, at)
  local length = redis.pcall('LLEN', key)
  if type(length) ~= 'number' then
    return nil, length
  end
  if length == 0 then
    return 0, 0
  end
  local head = redis.call('LINDEX', key, 0)
  local end_us, span_us = tonumber(head), nil
  if not end_us then
    end_us, span_us = string.match(head, '^(%d+):(%d+)$')
    if not end_us then
      return nil, head
    end
    end_us, span_us = tonumber(end_us), tonumber(span_us)
  end
  local own_us = now_us + ARGV[at + 1]
  local kept_us = repaired_end(end_us, own_us + slip_us, own_us, ARGV[at + 2] ~= '0', span_us)
  if kept_us ~= end_us then
    end_us = kept_us
    redis.call('LSET', key, 0, head_of(end_us, span_us))
    live(key, end_us - now_us)
  end
  return end_us, length - 1, span_us
end

local function look(key, at, cost)
  local limit, window_us = ARGV[at] + 0, ARGV[at + 1] + 0
  local end_us, count, span_us = read(key, at)
  if not end_us then
    return nil, count
  end
  local usual_us, own_end_us = ARGV[at + 2] + 0, now_us + window_us
  if end_us <= now_us then
    return look_window(limit, own_end_us, 0, cost, false, usual_us > 0 and window_us or nil)
  end
  local last_us, last_span_us = lasting(end_us, span_us, own_end_us, window_us, usual_us)
  return look_window(limit, end_us, count, cost, true, span_us, last_us, last_span_us, 'longer')
end

local function take(key, at, cost, end_us, total, running, span_us)
  local mark = string.format('%.0f:%s', now_us, ARGV[at + 3])
  if not running then
    redis.call('DEL', key)
    redis.call('RPUSH', key, head_of(end_us, span_us))
  elseif running == 'longer' then
    redis.call('LSET', key, 0, head_of(end_us, span_us))
  end
  -- A penalty may be larger than any limit.
  push(key, mark .. ' ' .. ARGV[at + 4], math.min(cost, ARGV[at] + 1000), total - cost)
  if running ~= true then
    live(key, end_us - now_us)
  end
  return string.format('%.0f:%s', end_us, mark)
end

-- Gives back only out of the window that was charged, and only the call's own entries.
local function give(key, at, units, receipt)
  local end_us = read(key, at)
  local head, mark = string.match(receipt, '^(%d+):(.*)$')
  if end_us and end_us > now_us and end_us == tonumber(head) then
    redis.call('LREM', key, -units, mark .. ' ' .. ARGV[at + 4])
  end
end

-- Removes the newest entries, equal ones by one command: LREM with a negative count removes those nearest to the end of the list.
local function reward(key, at, units)
  local end_us, count = read(key, at)
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
  local end_us = tonumber(string.match(redis.call('LINDEX', key, 0) or '', '^(%d+)'))
  if end_us and end_us > now_us then
    for _, entry in ipairs(redis.call('LRANGE', key, 1, -1)) do
      local instant, note = string.match(entry, '^(%d+):%S* (.*)$')
      listed[#listed + 1] = note
      listed[#listed + 1] = tonumber(instant)
    end
  end
  return listed
end
