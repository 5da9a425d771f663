-- A bucket with a constant rate, in whole numbers: used is measured in 1/parts tokens, of which `flow` drain each µs.
-- Token bucket and leaky bucket are both this piece.
--@include mixed_rates

-- A bucket that starts empty is kept for twice the time it takes to fill, a minute at least (a client may wait in whole seconds),
-- and for a debt beyond that.
local function empty_life_us(used, full, flow)
  return math.max(2 * math.ceil(full / flow), 60000000) + math.ceil(math.max(0, used - full) / flow)
end

-- Writes what is used now, with its rate, for as long as it matters; answers the text without the charges at other rates. `more`:
-- those charges, and the cut.
local function write_bucket(key, at, used, back, flow, parts, more)
  local life_us = math.ceil((used + back) / flow)
  if ARGV[at + 3] == '1' then
    life_us = empty_life_us(used, ARGV[at + 2] * ARGV[at + 1], ARGV[at] + 0)
  end
  local value = whole(used) .. ':' .. digits(now_us) .. ':' .. whole(parts) .. ':' .. whole(flow)
  if back > 0 or more ~= '' then
    value = string.format('%s:%.0f', value, back)
  end
  local cut = ''
  if more ~= '' then
    cut = string.match(more, '!%d+$') or ''
    -- A bucket that starts empty is kept for so long that hardly any cut outlasts it.
    local cut_us = ARGV[at + 3] ~= '1' and string.match(cut, '%d+') or 0
    life_us = math.max(life_us, (string.match(more, '^:(%d+)') or 0) - now_us, cut_us - now_us)
  end
  keep(key, value .. more, life_us)
  return value .. cut
end

-- Writes the state at the call's own rate.
local function store_bucket(key, at, used, back, more)
  return write_bucket(key, at, used, back, ARGV[at] + 0, ARGV[at + 1] + 0, more)
end

-- How many µs ahead the policy's numbers let charges lie.
local function horizon_of(at)
  return math.ceil((ARGV[at + 2] * ARGV[at + 1] + ARGV[at + 4] * ARGV[at]) / ARGV[at])
end

-- What stands behind the state of a key from its first charge on, where the policy was chosen for the call.
local function chosen_at_first(at)
  if ARGV[at + 5] ~= '1' then
    return ''
  end
  need_mixed()
  return mixed_text({}, horizon_of(at))
end

-- Whether a state with charges of chosen policies has ended for a bucket that starts empty, so that it starts empty again.
local function is_over(at, used, written_us, stored_parts, stored_flow, back, mixed)
  local parts = ARGV[at + 1] + 0
  local scaled = used
  if stored_parts ~= parts then
    scaled = math.ceil(used * parts / stored_parts)
  end
  local life_us =
    math.max(empty_life_us(scaled, ARGV[at + 2] * parts, ARGV[at] + 0), math.ceil((used + back) / stored_flow))
  return written_us + life_us <= now_us and (mixed == '' or #read_mixed(mixed) == 0)
end

-- Reads a state with charges of chosen policies as the call sees it. A repair keeps the rate that the state was written with.
local function see_mixed(key, at, used, written_us, stored_parts, stored_flow, back, mixed, cut)
  local flow, parts = ARGV[at] + 0, ARGV[at + 1] + 0
  local horizon_us = horizon_of(at)
  local drained = math.max(0, now_us - written_us) * stored_flow
  local others, reach_us = {}, nil
  if mixed ~= '' then
    others, reach_us = read_mixed(mixed)
    local most_us = math.max(reach_us, horizon_us)
    local used_now = math.max(0, used - drained)
    local ahead = written_us > now_us + slip_us or used_now > (most_us + slip_us) * stored_flow
    if not giving and (ahead or last_us(others) > now_us + most_us + slip_us) then
      back = used + back <= drained and 0 or back
      used, written_us, drained = math.min(used_now, most_us * stored_flow), now_us, 0
      mixed = mixed_text(others_until(others, now_us + most_us), reach_us)
      write_bucket(key, at, used, back, stored_flow, stored_parts, mixed .. cut)
    end
  end
  local gone_us = written_us + math.ceil(used / stored_flow)
  reach_us = math.max(reach_us or gone_us - now_us, horizon_us)
  local mine_us
  mine_us, others = seen_by(flow, parts, gone_us, stored_flow, stored_parts, others)
  if stored_flow == flow and stored_parts == parts then
    if used + back <= drained then
      back = 0
    end
    used = written_us > now_us and used + (written_us - now_us) * flow or math.max(0, used - drained)
  else
    used, back = (mine_us - now_us) * flow, 0
  end
  return used, back, mixed_text(others, reach_us)
end

-- The text "!CUT", of a state that other numbers have charged since, or have cut short: until when the receipts from before would have
-- held. No two cuts of a key are the same instant.
local function cut_again(cut, until_us)
  return string.format('!%.0f', math.max(until_us, (string.match(cut, '%d+') or 0) + 1))
end

local function kept_cut(cut)
  return cut ~= '' and string.match(cut, '%d+') + 0 > now_us and cut or ''
end

-- Answers what is used now, what was given back, the charges at other rates, the cut while it matters, whether the key is unknown, and
-- whether the state was charged at another rate; nil and the reply where it is no such state.
local function read_bucket(key, at, cost)
  local flow, parts = ARGV[at] + 0, ARGV[at + 1] + 0
  local full, empty = ARGV[at + 2] * parts, ARGV[at + 3] == '1'
  if ARGV[at + 5] == '1' then
    need_mixed()
  end
  local raw = fetch(key)
  if raw then
    if type(raw) ~= 'string' then
      return nil, raw
    end
    local used, written_us, stored_parts, stored_flow, more = string.match(raw, '^(%d+):(%d+):(%d+):(%d+)(.*)$')
    if not used then
      return nil, raw
    end
    local back, mixed, cut = nil, '', ''
    if more ~= '' then
      back, mixed, cut = string.match(more, '^:(%d+)([^!]*)(.*)$')
    end
    used, written_us, stored_parts, stored_flow = used + 0, written_us + 0, stored_parts + 0, stored_flow + 0
    back = (back or 0) + 0
    if mixed ~= '' then
      need_mixed()
    end
    local is_mixed = mixed ~= '' or ARGV[at + 5] == '1'
    if is_mixed and not (empty and is_over(at, used, written_us, stored_parts, stored_flow, back, mixed)) then
      local alien = stored_parts ~= parts or stored_flow ~= flow
      used, back, mixed = see_mixed(key, at, used, written_us, stored_parts, stored_flow, back, mixed, cut)
      return used, back, mixed, kept_cut(cut), false, alien
    end
    local alien, until_us =
      stored_parts ~= parts or stored_flow ~= flow, written_us + math.ceil((used + back) / stored_flow)
    -- A bucket that starts empty is kept for so long that hardly any charge at another rate outlasts it.
    if alien and not empty then
      cut = cut_again(cut, until_us)
    end
    if not empty and until_us <= now_us then
      -- The charge is over, and only the cut has kept the key: a slower rate must not count the charge longer.
      return 0, 0, '', kept_cut(cut), false, alien
    end
    if stored_parts ~= parts then
      used, back = math.ceil(used * parts / stored_parts), 0
    end
    if not is_mixed and (not empty or now_us - written_us < empty_life_us(used, full, flow)) then
      local most = full + ARGV[at + 4] * flow
      local elapsed_us = now_us - written_us
      local drained = math.max(0, elapsed_us) * flow
      if used + back <= drained then
        back = 0
      end
      used = math.max(0, used - drained)
      if not giving and (used > most + slip_us * flow or elapsed_us < -slip_us) then
        if empty or not alien then
          cut = cut_again(cut, until_us)
        end
        used, alien = math.min(used, most), false
        store_bucket(key, at, used, back, cut)
      elseif elapsed_us < 0 then
        -- The clock has stepped back: more is used, by what drains until it shows that instant again.
        used = used - elapsed_us * flow
      end
      return used, back, '', kept_cut(cut), false, alien
    end
  end
  if not empty then
    return 0, 0, chosen_at_first(at), '', true
  end
  if cost > 0 and not looking then
    store_bucket(key, at, full, 0, chosen_at_first(at))
  end
  return full, 0, chosen_at_first(at), '', true
end

local function look(key, at, cost)
  local used, back, mixed, cut = read_bucket(key, at, cost)
  if not used then
    return nil, back
  end
  local flow, parts = ARGV[at] + 0, ARGV[at + 1] + 0
  local full, added = ARGV[at + 2] * parts, cost * parts
  local room, others, reset_us = full - used, {}, 0
  if mixed ~= '' then
    others = read_mixed(mixed)
    room, reset_us = room - others_after_us(others, parts, 0), last_us(others) - now_us
  end
  if added <= room then
    reset_us = math.max(reset_us, math.ceil((used + added) / flow))
    return 0, 0, math.floor((room - added) / parts), 0, reset_us, used + added, back, nil, mixed .. cut
  end
  local remaining = math.max(0, math.floor(room / parts))
  local rest_us = math.max(reset_us, math.ceil(used / flow))
  if cost == 0 then
    return 0, 0, remaining, 0, rest_us, used, back, nil, mixed .. cut
  end
  local wait_us = -1
  if added <= full then
    wait_us = #others > 0 and mixed_wait(flow, parts, used, full - added, others)
      or math.ceil((used - (full - added)) / flow)
  end
  -- A caller that reserves passes when the wait is over, and is charged from then on: beside charges at other rates, that is later than
  -- the end of those at its own rate.
  local from = #others > 0 and math.max(used, wait_us * flow) or used
  local drafted = math.max(used, math.min(from + added, full + ARGV[at + 4] * flow))
  local after_us = math.max(reset_us, math.ceil(drafted / flow))
  return wait_us < 0 and 3 or 1, 0, remaining, wait_us, rest_us, drafted, back, after_us, mixed .. cut
end

local function take(key, at, cost, used, back, _, more)
  return store_bucket(key, at, used, back, more)
end

-- The common case, for admit.lua: a bucket that starts full, and no state, or one of the same rate of which nothing was given back.
local function admit(key, at)
  local flow, parts, capacity = ARGV[at] + 0, ARGV[at + 1] + 0, ARGV[at + 2] + 0
  if ARGV[at + 3] == '1' or ARGV[at + 5] == '1' then
    return
  end
  local used, raw = 0, fetch(key)
  if raw then
    if type(raw) ~= 'string' then
      return
    end
    local stored, written_us = string.match(raw, '^(%d+):(%d+):' .. ARGV[at + 1] .. ':' .. ARGV[at] .. '$')
    if not stored or now_us < written_us + 0 then
      return
    end
    used = stored - (now_us - written_us) * flow
    if used < 0 then
      used = 0
    end
  end
  used = used + parts
  local room = capacity * parts - used
  if room < 0 then
    return
  end
  local text = whole(used) .. ':' .. digits(now_us) .. ':' .. ARGV[at + 1] .. ':' .. ARGV[at]
  local reset_us = math.ceil(used / flow)
  return math.floor(room / parts), reset_us, text, text, reset_us
end

-- Gives back the part of the charge that has not drained yet, and nothing that was given back already. While so much is used that a
-- caller may hold a reservation, only the newest charge is given back, so that the promised instants do not move.
local function give(key, at, units, receipt)
  local used, back, mixed, cut, _, alien = read_bucket(key, at, 0)
  local mine, taken_us, parts, mine_back, mine_cut = string.match(receipt, '^(%d+):(%d+):(%d+):%d+:?(%d*)(.*)$')
  -- Once the cut is over, what was charged before it has drained.
  if used and cut ~= '' and cut ~= mine_cut then
    return
  end
  mine_back = tonumber(mine_back) or 0
  if not used or alien or not parts or parts + 0 ~= ARGV[at + 1] + 0 or back < mine_back then
    return
  end
  local room = ARGV[at + 2] * parts
  if mixed ~= '' then
    room = room - others_after_us(read_mixed(mixed), parts + 0, 0)
  end
  local mine_now = mine - (now_us - taken_us) * ARGV[at]
  local held = used > room
  if held and used > mine_now then
    return
  end
  local stored, rate, more = string.match(fetch(key), '^(%d+):(%d+:%d+:%d+):?%d*(.*)$')
  local restored = math.min(units * parts, used, stored + 0)
  if not held then
    restored = math.min(restored, mine_now - (back - mine_back))
  end
  if restored > 0 then
    keep(key, string.format('%.0f:%s:%.0f%s', stored - restored, rate, back + restored, more))
  end
end

-- Gives back what has not drained yet, of any caller's charges; a caller that waits keeps its turn.
local function reward(key, at, units)
  local used, back, mixed, cut, unknown = read_bucket(key, at, 0)
  if not used or unknown then
    return
  end
  local restored = math.min(units * ARGV[at + 1], used)
  if mixed ~= '' then
    local others, reach_us = read_mixed(mixed)
    mixed = mixed_text(others_after(others, units - math.ceil(restored / ARGV[at + 1])), reach_us)
  elseif used == 0 then
    return
  end
  store_bucket(key, at, used - restored, back + restored, mixed .. cut)
end

-- Writes a key that has used nothing, where buckets start empty: an unknown key has used all there.
local function unused(key, at)
  if ARGV[at + 3] == '1' then
    store_bucket(key, at, 0, 0, chosen_at_first(at))
  end
end

-- The next call of cost 1 waits at least this long; a longer wait stays as it is.
local function raise(key, at, wait_us)
  local used, back, mixed, cut = read_bucket(key, at, 1)
  local flow, parts, capacity = ARGV[at] + 0, ARGV[at + 1] + 0, ARGV[at + 2] + 0
  local raised = math.min((capacity - 1) * parts + wait_us * flow, capacity * parts + ARGV[at + 4] * flow)
  if used and raised > used then
    store_bucket(key, at, raised, back, mixed .. cut)
  end
end
