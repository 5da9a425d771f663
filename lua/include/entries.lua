-- A sorted set with an entry for each unit, MARK:NUMBER, of which those later than `dead_us` count. None is later than
-- `latest_us`: what lies further ahead (the server's clock stepped back, or the numbers have changed) is moved there. A small step
-- back moves nothing: what is added then is as late as the newest. Where a policy was chosen for a call, a last member "+UNTIL" says
-- until when what it has added counts.

-- The score of the last member, later than that of any entry.
local after_all = '9000000000000000'

-- Moves the entries that lie too far ahead, and answers the newest score. A lease that says its length is moved by that; one that does
-- not stays where it is for a call with a chosen policy.
local function move_entries(key, dead_us, latest_us, chosen, leases)
  local from = string.format('(%.0f', latest_us)
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', key, from, '(' .. after_all)) do
    local to_us, span_us = latest_us, leases and tonumber(string.match(member, '@(%d+):'))
    if span_us then
      to_us = math.max(latest_us, now_us + span_us)
    elseif leases and chosen then
      to_us = math.huge
    end
    if not leases or redis.call('ZSCORE', key, member) + 0 > to_us then
      redis.call('ZADD', key, to_us, member)
    end
  end
  if leases then
    latest_us = redis.call('ZREVRANGE', key, 0, 0, 'WITHSCORES')[2] + 0
    live(key, latest_us - now_us)
  elseif not chosen then
    live(key, latest_us - dead_us)
  end
  return latest_us
end

-- Answers the score of the newest entry (0: none is stored), how many entries count, and the last member, "+UNTIL"; nil and the reply
-- where it is no such state.
local function read_entries(key, dead_us, latest_us, chosen, leases)
  local newest = redis.pcall('ZREVRANGE', key, 0, 0, 'WITHSCORES')
  if newest.err then
    return nil, newest
  end
  local last
  if newest[1] and string.sub(newest[1], 1, 1) == '+' then
    last = newest[1]
    newest = redis.call('ZREVRANGE', key, 1, 1, 'WITHSCORES')
  end
  local newest_us = tonumber(newest[2] or 0)
  if newest_us <= dead_us then
    return newest_us, 0, last
  end
  if newest_us > latest_us + slip_us and not giving then
    newest_us = move_entries(key, dead_us, latest_us, chosen or last, leases)
  end
  return newest_us, redis.call('ZCOUNT', key, string.format('(%.0f', dead_us), '(' .. after_all), last
end

-- Whether a call came later than another: its number has more digits, or is greater.
local function is_later(a, b)
  if #a == #b then
    return a > b
  end
  return #a > #b
end

-- Removes `units` of the entries of one instant, those of the latest call first, and of each call those with the lowest numbers.
local function remove_latest(key, score_us, units)
  local marks, calls = {}, {}
  local counts = {}
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', key, score_us, score_us)) do
    local mark, call = string.match(member, '^(%d+:([^:@]*)[^:]*):%d+$')
    if not counts[mark] then
      marks[#marks + 1], calls[mark], counts[mark] = mark, call, 0
    end
    counts[mark] = counts[mark] + 1
  end
  table.sort(marks, function(a, b)
    return is_later(calls[a], calls[b])
  end)
  for _, mark in ipairs(marks) do
    local left, number = math.min(units, counts[mark]), 0
    units = units - left
    while left > 0 do
      number = number + 1
      left = left - redis.call('ZREM', key, mark .. ':' .. number)
    end
  end
end

-- Removes the `units` last entries of a take that added `charged`.
local function remove_entries(key, mark, units, charged)
  for number = charged - units + 1, charged do
    redis.pcall('ZREM', key, mark .. ':' .. number)
  end
end
