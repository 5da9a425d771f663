--[[
At most a limit in any span of one window, exactly: every admission is kept for a window.
State    sorted set: score = instant of the admission, member "INSTANT:CALL:NUMBER". Where policies were chosen for calls,
         "INSTANT:CALL@WINDOW_US:NUMBER", and last of all "+UNTIL", until when what they have admitted counts
ARGV     limit, window_us, "1" where the policy was chosen for this call, call (tells this call from every other)
Receipt  "INSTANT:CALL", or "INSTANT:CALL@WINDOW_US"
TTL      one window after the last admission, or longer where another policy's window is longer
]]
--@include chunks
--@include entries
local function look(key, at, cost)
  local chosen, leases = ARGV[at + 2] == '1', false
  local limit, dead_us, latest_us, longest_us = ARGV[at] + 0, now_us - ARGV[at + 1], now_us, math.huge
  --@include look_entries
end

-- Removes the entries that no policy counts any more. Those that the limiter's own policy has admitted are left to calls with that one.
local function trim_mixed(key, dead_us, chosen)
  local entries = redis.call('ZRANGEBYSCORE', key, '-inf', string.format('%.0f', dead_us), 'WITHSCORES')
  for i = 1, #entries, 2 do
    local span_us = tonumber(string.match(entries[i], '@(%d+):'))
    if span_us and entries[i + 1] + span_us <= now_us or not span_us and not chosen then
      redis.call('ZREM', key, entries[i])
    end
  end
end

-- Writes the last member, "+UNTIL": until when the entries of chosen policies count.
local function write_last(key, last, until_us)
  if last then
    until_us = math.max(until_us, string.sub(last, 2) + 0)
    redis.call('ZREM', key, last)
  end
  redis.call('ZADD', key, after_all, string.format('+%.0f', until_us))
end

local function take(key, at, cost, count, newest_us, last)
  local window_us, admitted_us, chosen = ARGV[at + 1] + 0, math.max(now_us, newest_us), ARGV[at + 2] == '1'
  local mark = string.format('%.0f:%s', now_us, ARGV[at + 3])
  if chosen then
    mark = string.format('%s@%.0f', mark, window_us)
  end
  local life_us = admitted_us + window_us - now_us
  -- This is written first, as a server without memory refuses it only as long as the script has written nothing.
  -- A penalty may be larger than any limit.
  add(key, admitted_us, mark, math.min(cost, ARGV[at] + 1000), count)
  if last and string.sub(last, 2) + 0 <= now_us then
    redis.call('ZREM', key, last)
    last = nil
  end
  if chosen or last then
    -- There may be a last member and no entry, where all entries were given back.
    if newest_us > 0 or last then
      life_us = math.max(life_us, left_us(key))
      trim_mixed(key, now_us - window_us, chosen)
    end
    if chosen then
      write_last(key, last, admitted_us + window_us)
    end
  else
    redis.call('ZREMRANGEBYSCORE', key, '-inf', string.format('%.0f', now_us - window_us))
  end
  live(key, life_us)
  return mark
end

local function give(key, _, units, receipt, charged)
  remove_entries(key, receipt, units, charged)
end

-- Removes the newest entries: of one instant, those of the latest call first, and of a call its first ones, as `give` removes the last.
local function reward(key, at, units)
  local dead_us = now_us - ARGV[at + 1]
  local newest_us, count, last = read_entries(key, dead_us, now_us, ARGV[at + 2] == '1')
  if not newest_us or count == 0 then
    return
  end
  local left = math.min(units, count)
  local place = last and left or left - 1
  local nth = redis.call('ZREVRANGE', key, place, place, 'WITHSCORES')[2]
  left = left - redis.call('ZREMRANGEBYSCORE', key, '(' .. nth, '(' .. after_all)
  remove_latest(key, nth, left)
end

-- Where callers can reserve: the newest entry is of the instant at which the last of them is let in.
local function due(key, at)
  return read_entries(key, now_us - ARGV[at + 1], now_us, ARGV[at + 2] == '1')
end

local function book(key, at, cost, at_us)
  local newest_us, count, last = read_entries(key, now_us - ARGV[at + 1], now_us, ARGV[at + 2] == '1')
  return take(key, at, cost, count, math.max(at_us, newest_us), last)
end

-- How far ahead calls with chosen policies let entries lie. It is stored in an entry with the score 0.
local function reach_of(key)
  local first = redis.pcall('ZRANGE', key, 0, 0)[1]
  return first and tonumber(string.match(first, '^~(%d+)$')) or 0
end

local function keep_reach(key, us)
  redis.call('ZREMRANGEBYSCORE', key, 0, 0)
  redis.call('ZADD', key, 0, string.format('~%.0f', us))
end

local function newest_of(key, at)
  local newest_us = due(key, at)
  local score = string.format('%.0f', newest_us)
  return score .. ':' .. redis.call('ZCOUNT', key, score, score)
end
