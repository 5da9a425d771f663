--[[
What rate-limiter-flexible keeps of a key: a count that goes on beyond the limit, and an end that may be the key's own.
State    string "END:COUNT"; END has sixteen digits, COUNT may be negative
ARGV     units, puts ("1": sets the count and begins anew; "0": adds to it), limit, window_us, block_us, block_at; a
         window of 0 never ends, and the call that brings the count to block_at begins a block
Receipt  none: nothing is given back by one
TTL      until END
]]
--@include stored_window
-- A window that never ends is stored as one that ends in the year 2223. The remaining is answered as `middle` less the count, as a reply
-- holds no negative number.
local never_us, middle = 8000000000000000, 4503599627370496

local function take(key, at, cost, end_us, count, anew)
  keep(key, string.format('%.0f:%.0f', end_us, count), anew and end_us - now_us or nil)
  return 0
end

local function look(key, at, cost)
  local end_us, count = stored_window(key)
  if not end_us then
    return nil, count
  end
  local running = end_us > now_us
  if not running then
    end_us, count = now_us, 0
  end
  if cost == 0 then
    return 0, 0, middle - count, 0, end_us - now_us
  end
  local units, puts, limit = ARGV[at] + 0, ARGV[at + 1] == '1', ARGV[at + 2] + 0
  if cost == 1 and count >= limit then
    local rest_us = end_us - now_us
    if limit <= 0 then
      return 3, 0, middle - count, -1, rest_us
    end
    return 1, 0, middle - count, rest_us, rest_us
  end
  local window_us, block_us, block_at = ARGV[at + 3] + 0, ARGV[at + 4] + 0, ARGV[at + 5] + 0
  count = math.max(1 - middle, math.min(puts and units or count + units, middle - 1))
  local blocks = block_us > 0 and not puts and count >= block_at and count - units < block_at
  local anew = puts or blocks or not running
  if anew then
    local life_us = blocks and block_us or window_us
    end_us = life_us == 0 and never_us or math.min(now_us + life_us, never_us)
  end
  return 0, 0, middle - count, 0, end_us - now_us, end_us, count, anew
end
