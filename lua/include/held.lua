-- What a state has beside its own charge once a policy was chosen for a call: the charge at another rate, of which `flow` parts drain
-- each microsecond until it is gone at `until_us`, and how far ahead the charges may lie at most. Stored as ":UNTIL:FLOW:PARTS:REACH".

-- The other charge and the reach; until_us is 0 where nothing of it is left.
local function read_mixed(text)
  local until_us, flow, parts, reach_us = string.match(text, '^:(%d+):(%d+):(%d+):(%d+)$')
  until_us = tonumber(until_us)
  if until_us <= now_us then
    until_us = 0
  end
  return until_us, tonumber(flow), tonumber(parts), tonumber(reach_us)
end

local function mixed_text(until_us, flow, parts, reach_us)
  if until_us <= now_us then
    until_us, flow, parts = 0, 1, 1
  end
  return string.format(':%.0f:%.0f:%.0f:%.0f', until_us, flow, parts, reach_us)
end

-- Tells what was charged at the call's own rate (answered first: when it has drained) from what was charged at others. `main` is the
-- state's own charge, `other` the one beside it, each as until_us, flow, parts.
local function seen_by(flow, parts, main_us, main_flow, main_parts, other_us, other_flow, other_parts)
  if main_flow == flow and main_parts == parts then
    return math.max(main_us, now_us), other_us, other_flow, other_parts
  end
  if other_us == 0 then
    if main_us > now_us then
      return now_us, main_us, main_flow, main_parts
    end
    return now_us, 0, 1, 1
  end
  if other_flow == flow and other_parts == parts then
    if main_us > now_us then
      return other_us, main_us, main_flow, main_parts
    end
    return other_us, 0, 1, 1
  end
  if main_us <= now_us then
    return now_us, other_us, other_flow, other_parts
  end
  -- Two rates as one that never counts less: all of their units, until the later instant.
  local units = (main_us - now_us) * main_flow / main_parts + (other_us - now_us) * other_flow / other_parts
  local until_us = math.max(main_us, other_us)
  return now_us, until_us, 1, math.max(1, math.floor((until_us - now_us) / units))
end

-- What the other charge takes up now, in parts of the call's unit.
local function other_now(other_us, other_flow, other_parts, parts)
  if other_us == 0 then
    return 0
  end
  return math.ceil((other_us - now_us) * (other_flow * parts / other_parts))
end

-- How long until the call's own charge and the other one together leave `room` parts or less.
local function mixed_wait(flow, parts, used, room, other_us, other_flow, other_parts)
  local mine_us = (used - room) / flow
  if other_us == 0 then
    return math.ceil(mine_us)
  end
  local left_us, drain, empty_us = other_us - now_us, other_flow * parts / other_parts, used / flow
  local wait_us = (used + left_us * drain - room) / (flow + drain)
  if wait_us > math.min(empty_us, left_us) then
    wait_us = empty_us <= left_us and left_us - room / drain or mine_us
  end
  local whole_us = math.ceil(wait_us)
  local left = math.max(0, used - whole_us * flow) + math.max(0, math.ceil((left_us - whole_us) * drain))
  -- A quotient may have been rounded down.
  return left <= room and whole_us or whole_us + 1
end

-- The end of the other charge after units were given back: never more of them than it holds.
local function other_after(other_us, other_flow, other_parts, units)
  if other_us == 0 or units <= 0 then
    return other_us
  end
  return math.max(0, other_us - math.floor(units * other_parts / other_flow))
end
