-- The instant of the call. The fragment itself is asked as of the instant at which a caller can be let in behind those that have reserved.
local called_us = now_us

-- Widens `slip_us`: state that other numbers have let lie further ahead than the call's own does not mean that the clock has stepped back.
local function know_reach(key, at)
  local reach = known[key]
  if type(reach) == 'string' then
    reach = string.match(reach, '~(%d+)$')
  end
  reach_us = tonumber(reach or 0) or 0
  slip_us = usual_slip_us + math.max(ARGV[at], ARGV[at + 1], reach_us)
end

-- Each look reads the key anew, as its block may just have ended.
local function read_reach(key, at)
  known[key] = (reach_of or whole_text)(key)
  know_reach(key, at)
end

-- Called before a charge is written.
local function lengthen_reach(at)
  reach_us = math.max(reach_us, ARGV[at + 1])
end

-- Called after a charge was written.
local function write_reach(key)
  if keep_reach and reach_us > 0 then
    keep_reach(key, reach_us)
    known[key] = reach_us
  end
end

-- Moves `now_us` behind those that have reserved, and answers it; nil and the reply where the key holds no such state.
local function go_behind(key, at)
  now_us = called_us
  read_reach(key, at)
  local due_us, said = due(key, at + 2)
  if due_us and due_us > now_us then
    now_us = due_us
  end
  return due_us and now_us, said
end

-- The first draft of a refusal is a table of how long the caller would wait. A caller that waits is charged as of the end of its wait.
local function look(key, at, cost)
  local from_us, said = go_behind(key, at)
  if not from_us then
    return nil, said
  end
  local status, limit, remaining, wait_us, reset_us, a, b, c, d = plain_look(key, at + 2, cost)
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
    _, _, _, _, reset_us = plain_look(key, at + 2, 0)
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
    _, _, _, _, after_us = plain_look(key, at + 2, cost)
    after_us = after_us + wait_us
  end
  now_us = called_us
  return 1, limit, remaining, wait_us, reset_us, { wait_us }, nil, after_us
end

-- Takes units as of an instant that may lie ahead, whether they fit or not; the life of what is written begins now. A strategy has a
-- `book` of its own where its take would clear away what is over at that instant but still counts now.
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
  know_reach(key, at)
  lengthen_reach(at)
  local receipt
  if type(a) == 'table' then
    receipt = take_at(key, at + 2, cost, called_us + a[1])
  else
    receipt = plain_take(key, at + 2, cost, a, b, c, d)
  end
  write_reach(key)
  if type(receipt) == 'number' then
    receipt = string.format('%.0f', receipt)
  end
  return receipt .. '~' .. newest_of(key, at + 2)
end

local function charge(key, at, units)
  local from_us = go_behind(key, at)
  now_us = called_us
  if from_us then
    lengthen_reach(at)
    -- No further ahead than units may be reserved.
    take_at(key, at + 2, units, math.min(from_us, called_us + ARGV[at]))
    write_reach(key)
  end
end

-- While a caller waits, only the newest charge is given back: promised instants do not move, and no later caller comes before them.
local function give(key, at, units, receipt, charged)
  local from_us = go_behind(key, at)
  now_us = called_us
  local own, last = string.match(receipt, '^(.*)~(.*)$')
  if own and from_us and (from_us == called_us or last == newest_of(key, at + 2)) then
    plain_give(key, at + 2, units, own, charged)
  end
end

local function reward(key, at, units)
  read_reach(key, at)
  plain_reward(key, at + 2, units)
end
