-- Stands before the fragment of a strategy whose callers can reserve, and after.lua behind it. There the fragment's own functions are
-- called plain_look, plain_take …; their first argument stands behind two others: how far ahead units may be reserved, and "0", or where
-- the policy was chosen for this call the longer of that and of how far ahead the limiter's own policy lets units be reserved.

-- How much further ahead than usual state may lie. A strategy that keeps no text stores by `keep_reach` how far chosen policies let it
-- lie, and reads that by `reach_of`.
local usual_slip_us = slip_us
local slip_us, reach_us, book, reach_of, keep_reach = slip_us, 0, nil, nil, nil

-- What each key holds, or how far ahead a strategy that keeps no text lets it lie, as this call has last read or written it.
local known = {}

-- At the end of a text stands how far ahead it may lie, as "~REACH_US".
local whole_text, keep_whole = fetch, keep
local function fetch(key)
  local raw = known[key]
  return type(raw) == 'string' and string.match(raw, '^(.*)~%d+$') or raw
end

local function keep(key, value, life_us)
  known[key] = reach_us > 0 and string.format('%s~%.0f', value, reach_us) or value
  keep_whole(key, known[key], life_us)
end
