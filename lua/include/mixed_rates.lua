-- What a state has beside its own charge once a policy was chosen for a call: the charges at other rates, the last to drain first, and
-- how far ahead charges may lie at most (the reach). Of each charge, `flow` parts drain each microsecond until it is gone at `until_us`.
-- Stored as ":UNTIL:FLOW:PARTS" for each, at least once, and ":REACH".
local most_others = 8
local insert_charge, read_mixed, mixed_text, last_us, others_until, units_of, seen_by, drain_of, others_after_us, about_us, mixed_wait, others_after

-- Makes the functions that follow when they are first needed: each function that a script makes costs the server something in every call.
local function need_mixed()
  if read_mixed then
    return
  end

  -- Inserts a charge behind those that drain later. A charge is a list: until_us, flow, parts.
  function insert_charge(others, charge)
    local i = #others + 1
    while i > 1 and others[i - 1][1] < charge[1] do
      i = i - 1
    end
    table.insert(others, i, charge)
  end

  -- The other charges that have not drained, and the reach.
  function read_mixed(text)
    local others = {}
    for until_us, flow, parts in string.gmatch(text, ':(%d+):(%d+):(%d+)') do
      if until_us + 0 > now_us then
        insert_charge(others, { until_us + 0, flow + 0, parts + 0 })
      end
    end
    return others, tonumber(string.match(text, ':(%d+)$'))
  end

  function mixed_text(others, reach_us)
    local texts = {}
    for i, other in ipairs(others) do
      texts[i] = string.format(':%.0f:%.0f:%.0f', other[1], other[2], other[3])
    end
    return string.format('%s:%.0f', #texts == 0 and ':0:1:1' or table.concat(texts), reach_us)
  end

  -- When the last of them has drained; 0 where there are none.
  function last_us(others)
    return others[1] and others[1][1] or 0
  end

  -- Shortens charges so that none ends after `furthest_us`.
  function others_until(others, furthest_us)
    for _, other in ipairs(others) do
      other[1] = math.min(other[1], furthest_us)
    end
    return others
  end

  function units_of(other)
    return (other[1] - now_us) * other[2] / other[3]
  end

  -- Separates what was charged at the call's own rate from what was charged at others: answers when the former has drained, and the
  -- latter. `main_us`, `main_flow` and `main_parts` are the state's own charge.
  function seen_by(flow, parts, main_us, main_flow, main_parts, stored)
    local mine_us, others = now_us, {}
    local all = { { main_us, main_flow, main_parts }, unpack(stored) }
    for _, each in ipairs(all) do
      if each[1] > now_us then
        if each[2] == flow and each[3] == parts then
          mine_us = each[1]
        else
          insert_charge(others, each)
        end
      end
    end
    if #others > most_others then
      -- The two that drain first become one charge that never counts less: all of their units, until the later instant.
      local sooner, later = table.remove(others), table.remove(others)
      local units = units_of(later) + units_of(sooner)
      others[most_others] = { later[1], 1, math.max(1, math.floor((later[1] - now_us) / units)) }
    end
    return mine_us, others
  end

  -- How much of another charge drains each microsecond, in parts of the call's unit.
  function drain_of(other, parts)
    return other[2] * parts / other[3]
  end

  -- What the other charges take up after a time, in parts of the call's unit.
  function others_after_us(others, parts, wait_us)
    local sum = 0
    for _, other in ipairs(others) do
      sum = sum + math.max(0, math.ceil((other[1] - (now_us + wait_us)) * drain_of(other, parts)))
    end
    return sum
  end

  -- Estimates how long it takes until `room` parts or less are used: from one charge's end to the next, what is used falls evenly.
  function about_us(flow, parts, used, room, others)
    local lefts, drains = { used / flow }, { flow }
    for i, other in ipairs(others) do
      lefts[i + 1], drains[i + 1] = other[1] - now_us, drain_of(other, parts)
    end
    local from_us = 0
    while true do
      local end_us, drain, used_then = math.huge, 0, 0
      for i, left_us in ipairs(lefts) do
        if left_us > from_us then
          end_us, drain = math.min(end_us, left_us), drain + drains[i]
        end
      end
      if drain == 0 then
        return from_us
      end
      for i, left_us in ipairs(lefts) do
        used_then = used_then + math.max(0, left_us - end_us) * drains[i]
      end
      if used_then <= room then
        return end_us - (room - used_then) / drain
      end
      from_us = end_us
    end
  end

  -- How long until the call's own charge and the other ones together leave `room` parts or less.
  function mixed_wait(flow, parts, used, room, others)
    if #others == 0 then
      return math.ceil((used - room) / flow)
    end
    local function fits(wait_us)
      return math.max(0, used - wait_us * flow) + others_after_us(others, parts, wait_us) <= room
    end
    local wait_us = math.max(0, math.ceil(about_us(flow, parts, used, room, others)))
    -- The estimate is corrected, as quotients were rounded, and each of the other charges counts in whole parts.
    while not fits(wait_us) do
      wait_us = wait_us + 1
    end
    while wait_us > 0 and fits(wait_us - 1) do
      wait_us = wait_us - 1
    end
    return wait_us
  end

  -- The other charges after units were given back, to the last to drain first, and to each no more than it holds.
  function others_after(others, units)
    local kept = {}
    for _, other in ipairs(others) do
      local until_us = other[1] - math.floor(math.max(0, units) * other[3] / other[2])
      units = units - math.ceil(units_of(other))
      if until_us > now_us then
        insert_charge(kept, { until_us, other[2], other[3] })
      end
    end
    return kept
  end
end
