--[[
Generic cell rate algorithm: one theoretical arrival time (TAT) a key.
State    string "TAT" and the interval's mark, which together are an integer of nineteen digits, or "TAT:BACK:INTERVAL" where the
         interval has no mark, or where BACK µs count as given back and still matter: refunds, and all of the debt when other numbers
         cut it. Behind that, where policies were chosen for calls, the charges at other rates, see include/mixed_rates.lua.
         The integer of a busy key, which was sixteen units in debt, is negative: its life reaches to the end of the span of sixteen
         intervals in which the TAT lies, so until then a unit is one addition
ARGV     interval_us (one unit in time), tolerance_us (the capacity in time), horizon_us (tolerance and debt), the interval's mark
         (MME for MM · 10^E; 0: none), and 1000 more where the policy was chosen for this call
Receipt  TAT, or "TAT:BACK", after the take
TTL      TAT + BACK - now, or until the other charges have drained; of a busy key until the end of its span
]]
--@include mixed_rates
-- `mixed`: what stands behind the state where policies were chosen for calls, or ''.
local function store(key, at, tat_us, back_us, interval_us, mixed)
  local life_us = tat_us + back_us - now_us
  if mixed ~= '' then
    life_us = math.max(life_us, string.match(mixed, '^:(%d+)') - now_us)
  end
  local mark = ARGV[at + 3] + 0
  if back_us == 0 and mixed == '' and mark > 0 and interval_us == ARGV[at] + 0 then
    local low = tat_us % 100000000
    keep(key, string.format('%d%08d%03d', (tat_us - low) / 100000000, low, mark % 1000), life_us)
  else
    keep(key, digits(tat_us) .. ':' .. whole(back_us) .. ':' .. whole(interval_us) .. mixed, life_us)
  end
end

local function take(key, at, cost, tat_us, back_us, _, mixed)
  store(key, at, tat_us, back_us, ARGV[at] + 0, mixed)
  if back_us > 0 then
    return string.format('%.0f:%.0f', tat_us, back_us)
  end
  return tat_us
end

-- The interval that a mark of three digits stands for.
local function interval_of(mark)
  local power = mark % 10
  return (mark - power) / 10 * 10 ^ power
end

-- TAT, what was given back, interval and what stands behind them, as they are stored; nil and the reply where it is no such state.
local function parse(raw, at)
  if type(raw) ~= 'string' then
    return nil, raw
  end
  local until_us, mark = string.match(raw, '^%-?(%d+)(%d%d%d)$')
  if mark and #until_us == 16 then
    local interval_us = mark + 0 == ARGV[at + 3] + 0 and ARGV[at] + 0 or interval_of(mark)
    return until_us + 0, 0, interval_us, ''
  end
  local tat_us, back_us, interval_us, mixed = string.match(raw, '^(%d+):(%d+):(%d+)(.*)$')
  if not tat_us then
    return nil, raw
  end
  return tonumber(tat_us), tonumber(back_us), tonumber(interval_us), mixed
end

-- The state of a key as it is now, repaired: nothing lies further ahead than the numbers let it.
local function read(key, at)
  local interval_us, horizon_us, chosen = ARGV[at] + 0, ARGV[at + 2] + 0, ARGV[at + 3] + 0 >= 1000
  if chosen then
    need_mixed()
  end
  local raw = fetch(key)
  if not raw then
    return now_us, 0, interval_us, chosen and mixed_text({}, horizon_us) or ''
  end
  local tat_us, back_us, charged_us, mixed = parse(raw, at)
  if not tat_us then
    return nil, back_us
  end
  if tat_us + back_us <= now_us then
    back_us = 0
  end
  if mixed ~= '' then
    need_mixed()
    local others, reach_us = read_mixed(mixed)
    local furthest_us = now_us + math.max(reach_us, horizon_us)
    if not giving and (tat_us > furthest_us + slip_us or last_us(others) > furthest_us + slip_us) then
      tat_us = math.min(tat_us, furthest_us)
      mixed = mixed_text(others_until(others, furthest_us), reach_us)
      store(key, at, tat_us, back_us, charged_us, mixed)
    end
  elseif not chosen and not giving then
    local before_us = tat_us
    if charged_us > interval_us and tat_us > now_us then
      -- The operator has made the rate faster: the charged units stay. Where the rate is slower now, the TAT stays.
      tat_us = now_us + math.ceil((tat_us - now_us) * interval_us / charged_us)
    end
    tat_us = tat_us > now_us + horizon_us + slip_us and now_us + horizon_us or tat_us
    if tat_us ~= before_us then
      -- Nobody knows whose charges were cut off. All of the old debt counts as given back, so that no refund gives any of it back again.
      back_us, charged_us = back_us + before_us - now_us, interval_us
      store(key, at, tat_us, back_us, charged_us, '')
    end
  end
  return tat_us, back_us, charged_us, mixed
end

-- Charges at several rates: each drains at its own, and together they take up the capacity.
local function look_mixed(at, cost, tat_us, back_us, charged_us, mixed)
  local interval_us, tolerance_us, horizon_us = ARGV[at] + 0, ARGV[at + 1] + 0, ARGV[at + 2] + 0
  local others, reach_us = {}, tat_us - now_us
  if mixed ~= '' then
    others, reach_us = read_mixed(mixed)
  end
  reach_us = math.max(reach_us, horizon_us)
  local mine_us
  mine_us, others = seen_by(1, interval_us, tat_us, 1, charged_us, others)
  mixed = mixed_text(others, reach_us)
  if charged_us ~= interval_us then
    back_us = 0
  end
  local ahead_us, added_us = mine_us - now_us, cost * interval_us
  local other_us = last_us(others)
  local room_us = tolerance_us - ahead_us - others_after_us(others, interval_us, 0)
  if added_us <= room_us or cost == 0 then
    local left = math.max(0, math.floor((room_us - added_us) / interval_us))
    return 0, 0, left, 0, math.max(ahead_us + added_us, other_us - now_us), mine_us + added_us, back_us, nil, mixed
  end
  local wait_us = -1
  if added_us <= tolerance_us then
    wait_us = mixed_wait(1, interval_us, ahead_us, tolerance_us - added_us, others)
  end
  -- A caller that reserves passes when the wait is over, and is charged from then on.
  local from_us = math.max(mine_us, now_us + wait_us)
  local next_us = math.max(mine_us, math.min(from_us + added_us, now_us + horizon_us))
  local remaining, reset_us = math.max(0, math.floor(room_us / interval_us)), math.max(ahead_us, other_us - now_us)
  local after_us = math.max(next_us, other_us) - now_us
  return wait_us < 0 and 3 or 1, 0, remaining, wait_us, reset_us, next_us, back_us, after_us, mixed
end

-- Drafts the TAT and what was given back; at a cost of 0, the present ones.
local function look(key, at, cost)
  local tat_us, back_us, charged_us, mixed = read(key, at)
  if not tat_us then
    return nil, back_us
  end
  if mixed ~= '' or ARGV[at + 3] + 0 >= 1000 then
    return look_mixed(at, cost, tat_us, back_us, charged_us, mixed)
  end
  local interval_us, tolerance_us = ARGV[at] + 0, ARGV[at + 1] + 0
  if tat_us < now_us then
    tat_us = now_us
  end
  local next_us = tat_us + cost * interval_us
  local slack_us = now_us + tolerance_us - next_us
  if slack_us >= 0 then
    local left = (slack_us - slack_us % interval_us) / interval_us
    return 0, 0, left, 0, next_us - now_us, next_us, back_us, nil, mixed
  end
  local room_us = math.max(0, tolerance_us - tat_us + now_us)
  local remaining = (room_us - room_us % interval_us) / interval_us
  if cost == 0 then
    return 0, 0, remaining, 0, tat_us - now_us, tat_us, back_us, nil, mixed
  end
  next_us = math.max(tat_us, math.min(next_us, now_us + ARGV[at + 2]))
  if cost * interval_us > tolerance_us then
    return 3, 0, remaining, -1, tat_us - now_us, next_us, back_us, nil, mixed
  end
  return 1, 0, remaining, -slack_us, tat_us - now_us, next_us, back_us, next_us - now_us, mixed
end

-- The common case, for admit.lua: no state, or a TAT of the same interval of which nothing was given back.
local function admit(key, at, units)
  local interval_us, tolerance_us, mark = ARGV[at] + 0, ARGV[at + 1] + 0, ARGV[at + 3] + 0
  if mark > 999 then
    return
  end
  local tat_us, span_us, raw, busy = now_us, 16 * interval_us, fetch(key), nil
  if raw then
    if type(raw) ~= 'string' then
      return
    end
    if mark > 0 then
      local charged
      tat_us, charged = tonumber(string.sub(raw, 1, -4)), tonumber(string.sub(raw, -3))
      if not tat_us or #raw ~= (tat_us < 0 and 20 or 19) or charged ~= mark then
        return
      end
      if tat_us < 0 then
        tat_us = -tat_us
        busy = tat_us > now_us and tat_us % span_us + units * interval_us < span_us
      end
    else
      tat_us = tonumber(string.sub(raw, 1, 16))
      if not tat_us or string.sub(raw, 17) ~= ':0:' .. ARGV[at] then
        return
      end
    end
    if tat_us < now_us then
      tat_us = now_us
    end
  end
  local next_us = tat_us + units * interval_us
  local slack_us = now_us + tolerance_us - next_us
  if slack_us < 0 then
    return
  end
  local left, reset_us = (slack_us - slack_us % interval_us) / interval_us, next_us - now_us
  if busy then
    return left, reset_us, next_us, raw, nil, next_us, '-' .. ARGV[at] .. '000', interval_us
  end
  if mark == 0 then
    return left, reset_us, next_us, digits(next_us) .. ':0:' .. ARGV[at], reset_us, nil, nil, interval_us
  end
  local text = digits(next_us) .. (mark > 99 and ARGV[at + 3] or '0' .. ARGV[at + 3])
  if reset_us < span_us then
    return left, reset_us, next_us, text, reset_us, nil, nil, interval_us
  end
  return left, reset_us, next_us, '-' .. text, reset_us + span_us - next_us % span_us, nil, nil, interval_us
end

-- Gives back the part of the charge that has not drained yet, and nothing that was given back already. While the state lies so far ahead
-- that a caller may hold a reservation, only the newest charge is given back, so that the promised instants do not move.
local function give(key, at, units, receipt)
  local interval_us = ARGV[at] + 0
  local tat_us, back_us, charged_us, mixed = read(key, at)
  if not tat_us or charged_us ~= interval_us then
    return
  end
  local ahead_us = tat_us - now_us
  if mixed ~= '' then
    ahead_us = ahead_us + others_after_us(read_mixed(mixed), interval_us, 0)
  end
  local mine_us, mine_back_us = string.match(receipt, '^(%d+):?(%d*)$')
  mine_back_us = tonumber(mine_back_us) or 0
  local held = ahead_us > ARGV[at + 1] + 0
  if back_us < mine_back_us or (held and tat_us > mine_us + 0) then
    return
  end
  local restored_us = math.min(units * interval_us, tat_us - now_us)
  if not held then
    restored_us = math.min(restored_us, mine_us - (back_us - mine_back_us) - now_us)
  end
  if restored_us > 0 then
    store(key, at, tat_us - restored_us, back_us + restored_us, interval_us, mixed)
  end
end

-- Gives back what has not drained yet, of any caller's charges; a caller that waits keeps its turn.
local function reward(key, at, units)
  local interval_us = ARGV[at] + 0
  local status, _, _, _, _, tat_us, back_us, _, mixed = look(key, at, 0)
  if not status then
    return
  end
  local restored_us = math.min(units * interval_us, tat_us - now_us)
  if mixed ~= '' then
    local others, reach_us = read_mixed(mixed)
    mixed = mixed_text(others_after(others, units - math.ceil(restored_us / interval_us)), reach_us)
  elseif restored_us <= 0 then
    return
  end
  store(key, at, tat_us - restored_us, back_us + restored_us, interval_us, mixed)
end

-- The next call of cost 1 waits at least this long; a longer wait stays as it is.
local function raise(key, at, wait_us)
  local status, _, _, _, _, tat_us, back_us, _, mixed = look(key, at, 0)
  local raised_us = math.min(now_us + wait_us + ARGV[at + 1] - ARGV[at], now_us + ARGV[at + 2])
  if status and raised_us > tat_us then
    store(key, at, raised_us, back_us, ARGV[at] + 0, mixed)
  end
end
