-- The rest of `look` of a strategy that keeps entries; a wait is `longest_us` at most. The drafts are how many entries count, the score
-- of the newest, and the last member, "+UNTIL", if there is one. Included in place, as a function call would cost each check.
local newest_us, count, last = read_entries(key, dead_us, latest_us, chosen, leases)
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
  return 0, 0, left - cost, 0, math.max(newest_us, latest_us) - dead_us, count, newest_us, last
end
if cost > limit then
  return 3, 0, left, -1, reset_us, count, newest_us, last
end
-- The cost fits when this entry is dead. It is counted from the newest, as dead entries may still be stored.
local nth = limit - cost + (last and 1 or 0)
local leaving = redis.call('ZREVRANGE', key, nth, nth, 'WITHSCORES')
return 1, 0, left, math.min(leaving[2] - dead_us, longest_us), reset_us, count, newest_us, last
