--[[
Generic cell rate algorithm: one theoretical arrival time (TAT) a key.
State    string "TAT", or "TAT:BACK" while BACK µs of it have been given back and still matter
ARGV     interval_us (one unit in time), tolerance_us (the capacity in time), horizon_us (tolerance and debt)
Receipt  the state after the take
TTL      TAT + BACK - now
]]
local function take(key, at, cost, tat_us, back_us)
  local life_us = tat_us + back_us - now_us
  if back_us > 0 then
    local value = string.format('%.0f:%.0f', tat_us, back_us)
    keep(key, value, life_us)
    return value
  end
  keep(key, digits(tat_us), life_us)
  return tat_us
end

-- Drafts the TAT and what was given back: at a cost of 0 those that are.
local function look(key, at, cost)
  local interval_us, tolerance_us, horizon_us = ARGV[at] + 0, ARGV[at + 1] + 0, ARGV[at + 2] + 0
  local tat_us, back_us = now_us, 0
  local raw = fetch(key)
  if raw then
    tat_us = tonumber(raw)
    if not tat_us then
      if type(raw) ~= 'string' then
        return nil, raw
      end
      tat_us, back_us = string.match(raw, '^(%d+):(%d+)$')
      if not tat_us then
        return nil, raw
      end
      tat_us, back_us = tonumber(tat_us), tonumber(back_us)
      if tat_us + back_us <= now_us then
        back_us = 0
      end
    end
    if tat_us > now_us + horizon_us + slip_us then
      tat_us = now_us + horizon_us
      take(key, at, cost, tat_us, back_us)
    elseif tat_us < now_us then
      tat_us = now_us
    end
  end
  local next_us = tat_us + cost * interval_us
  local slack_us = now_us + tolerance_us - next_us
  if slack_us >= 0 then
    return 0, 0, (slack_us - slack_us % interval_us) / interval_us, 0, next_us - now_us, next_us, back_us
  end
  local left_us = math.max(0, tolerance_us - tat_us + now_us)
  local remaining = (left_us - left_us % interval_us) / interval_us
  if cost == 0 then
    return 0, 0, remaining, 0, tat_us - now_us, tat_us, back_us
  end
  next_us = math.max(tat_us, math.min(next_us, now_us + horizon_us))
  if cost * interval_us > tolerance_us then
    return 3, 0, remaining, -1, tat_us - now_us, next_us, back_us
  end
  return 1, 0, remaining, -slack_us, tat_us - now_us, next_us, back_us, next_us - now_us
end

-- Gives back what of the charge has not drained yet, and never what was given back already. While the state lies so far ahead
-- that somebody may hold a reservation, only what nobody has built upon: the promised instants do not move.
local function give(key, at, units, receipt)
  local status, _, _, _, _, tat_us, back_us = look(key, at, 0)
  if not status then
    return
  end
  local mine_us, mine_back_us = string.match(receipt, '^(%d+):?(%d*)$')
  mine_back_us = tonumber(mine_back_us) or 0
  local held = tat_us - ARGV[at + 1] > now_us
  if back_us < mine_back_us or (held and tat_us > mine_us + 0) then
    return
  end
  local restored_us = math.min(units * ARGV[at], tat_us - now_us)
  if not held then
    restored_us = math.min(restored_us, mine_us - (back_us - mine_back_us) - now_us)
  end
  if restored_us > 0 then
    take(key, at, units, tat_us - restored_us, back_us + restored_us)
  end
end

-- Gives back what has not drained yet, whoever it was charged to: a caller that waits for its turn keeps it.
local function reward(key, at, units)
  local status, _, _, _, _, tat_us, back_us = look(key, at, 0)
  local restored_us = status and math.min(units * ARGV[at], tat_us - now_us) or 0
  if restored_us > 0 then
    take(key, at, units, tat_us - restored_us, back_us + restored_us)
  end
end

-- The next call of cost 1 waits at least this long: raised, never added.
local function raise(key, at, wait_us)
  local status, _, _, _, _, tat_us, back_us = look(key, at, 0)
  local raised_us = math.min(now_us + wait_us + ARGV[at + 1] - ARGV[at], now_us + ARGV[at + 2])
  if status and raised_us > tat_us then
    take(key, at, 0, raised_us, back_us)
  end
end
