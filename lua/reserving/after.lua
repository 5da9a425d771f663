-- The instant of the call. The fragment is asked for that at which a caller can be let in behind those who have reserved.
local called_us = now_us

-- That instant, at which the fragment is from now on; nil and the reply where the key holds no such state.
local function go_behind(key, at)
  now_us, slip_us = called_us, usual_slip_us + ARGV[at]
  local due_us, said = due(key, at + 1)
  if due_us and due_us > now_us then
    now_us = due_us
  end
  return due_us and now_us, said
end

-- The draft of a refusal is a table: how long the caller would wait. Whoever waits is charged from its own instant on.
local function look(key, at, cost)
  local from_us, said = go_behind(key, at)
  if not from_us then
    return nil, said
  end
  local status, limit, remaining, wait_us, reset_us, a, b, c, d = plain_look(key, at + 1, cost)
  local before_us = from_us - called_us
  if not status or (before_us == 0 and status ~= 1) then
    now_us = called_us
    return status, limit, remaining, wait_us, reset_us, a, b, c, d
  end
  if before_us > 0 then
    remaining = 0
  end
  if before_us > 0 and cost > 0 and status == 0 then
    local _
    _, _, _, _, reset_us = plain_look(key, at + 1, 0)
    status = 1
  end
  reset_us = reset_us + before_us
  if status ~= 1 then
    now_us = called_us
    return status, limit, remaining, wait_us, reset_us, a, b, c, d
  end
  wait_us = wait_us + before_us
  local after_us = reset_us
  if wait_us <= ARGV[at] + 0 then
    now_us = called_us + wait_us
    local _
    _, _, _, _, after_us = plain_look(key, at + 1, cost)
    after_us = after_us + wait_us
  end
  now_us = called_us
  return 1, limit, remaining, wait_us, reset_us, { wait_us }, nil, after_us
end

-- Takes units that are used at an instant from now on, whether they fit or not; what is written lives from now on. A strategy has a
-- `book` of its own where its take clears away what is over by then, and is not now.
local function take_at(key, at, cost, us)
  if book then
    return book(key, at, cost, us)
  end
  now_us = us
  local _, _, _, _, _, a, b, c, d = plain_look(key, at, cost)
  now_us = called_us
  return plain_take(key, at, cost, a, b, c, d)
end

local function take(key, at, cost, a, b, c, d)
  slip_us = usual_slip_us + ARGV[at]
  local receipt
  if type(a) == 'table' then
    receipt = take_at(key, at + 1, cost, called_us + a[1])
  else
    receipt = plain_take(key, at + 1, cost, a, b, c, d)
  end
  if type(receipt) == 'number' then
    receipt = string.format('%.0f', receipt)
  end
  return receipt .. '~' .. newest_of(key, at + 1)
end

local function charge(key, at, units)
  local from_us = go_behind(key, at)
  now_us = called_us
  if from_us then
    -- No further ahead than units may be reserved.
    take_at(key, at + 1, units, math.min(from_us, called_us + ARGV[at]))
  end
end

-- While somebody waits only the newest charge may go: promised instants do not move, and nobody comes before them.
local function give(key, at, units, receipt, charged)
  local from_us = go_behind(key, at)
  now_us = called_us
  local own, last = string.match(receipt, '^(.*)~(.*)$')
  if own and from_us and (from_us == called_us or last == newest_of(key, at + 1)) then
    plain_give(key, at + 1, units, own, charged)
  end
end

local function reward(key, at, units)
  slip_us = usual_slip_us + ARGV[at]
  plain_reward(key, at + 1, units)
end
