-- A sorted set with an entry for each unit, MARK:NUMBER, of which those later than `dead_us` count. None is later than
-- `latest_us`: what lies further ahead (the server's clock stepped back, or the numbers have changed) is moved there.

-- Score of the newest entry and how many count; nil and the reply where it is no such state.
local function read_entries(key, dead_us, latest_us)
  local newest = redis.pcall('ZREVRANGE', key, 0, 0, 'WITHSCORES')
  if newest.err then
    return nil, newest
  end
  local newest_us = tonumber(newest[2] or 0)
  if newest_us <= dead_us then
    return 0, 0
  end
  if newest_us > latest_us then
    for _, member in ipairs(redis.call('ZRANGEBYSCORE', key, string.format('(%.0f', latest_us), '+inf')) do
      redis.call('ZADD', key, latest_us, member)
    end
    live(key, latest_us - dead_us)
    newest_us = latest_us
  end
  return newest_us, redis.call('ZCOUNT', key, string.format('(%.0f', dead_us), '+inf')
end

-- The look of a strategy that keeps so many entries; the draft is how many count.
local function look_entries(key, limit, dead_us, latest_us, cost)
  local newest_us, count = read_entries(key, dead_us, latest_us)
  if not newest_us then
    return nil, count
  end
  local reset_us = 0
  if count > 0 then
    reset_us = newest_us - dead_us
  end
  local left = math.max(0, limit - count)
  if cost == 0 then
    return 0, 0, left, 0, reset_us
  end
  if count + cost <= limit then
    return 0, 0, left - cost, 0, latest_us - dead_us, count
  end
  if cost > limit then
    return 3, 0, left, -1, reset_us, count
  end
  -- Enough is dead when this entry is; counted from the newest, as dead ones may still be stored.
  local nth = limit - cost
  local leaving = redis.call('ZREVRANGE', key, nth, nth, 'WITHSCORES')
  return 1, 0, left, leaving[2] - dead_us, reset_us, count
end

-- Drops what no longer counts, and adds entries.
local function add_entries(key, dead_us, score_us, mark, units, count)
  -- First, as a server without memory refuses it only as long as the script has written nothing.
  add(key, score_us, mark, units, count)
  redis.call('ZREMRANGEBYSCORE', key, '-inf', string.format('%.0f', dead_us))
  live(key, score_us - dead_us)
end

-- Takes out the last of the entries of one take.
local function remove_entries(key, mark, units, charged)
  for number = charged - units + 1, charged do
    redis.call('ZREM', key, mark .. ':' .. number)
  end
end
