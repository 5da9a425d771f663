--[[
At most a limit in flight at once: each unit is a lease, which ends unless it is renewed.
State    sorted set: score = end of the lease, member "CALL:NUMBER", or "CALL@LEASE_US:NUMBER" of a policy that was chosen for the call
         Callers in line have two members for each unit. "~CALL:NUMBER" is a claim, which counts as a lease does, so that those
         who do not wait leave room for those who do: score = end of the claim. "=CALL:NUMBER" is the caller's turn: its score
         is below 0, and the smaller one is served sooner.
ARGV     limit, lease_us, "1" where the policy was chosen for this call, call (tells this call from every other)
Receipt  "CALL", or "CALL@LEASE_US"
TTL      until the newest lease or claim ends
]]
--@include chunks
--@include entries
-- A lease may be given back or renewed before it ends, so its end says little of when its place is free: a wait is one second at most.
local function look(key, at, cost)
  local chosen, leases = ARGV[at + 2] == '1', true
  local limit, dead_us, latest_us, longest_us = ARGV[at] + 0, now_us, now_us + ARGV[at + 1], 1000000
  --@include look_entries
end

-- Removes leases and claims that have ended, and the turns of these claims. At most 500 in one call, as they do not count any more.
local function sweep(key)
  local ended = redis.call('ZRANGEBYSCORE', key, 0, string.format('%.0f', now_us), 'LIMIT', 0, 500)
  local count = #ended
  for i = 1, count do
    if string.sub(ended[i], 1, 1) == '~' then
      ended[#ended + 1] = '=' .. string.sub(ended[i], 2)
    end
  end
  if count > 0 then
    redis.call('ZREM', key, unpack(ended))
  end
end

-- Adds leases. Where `newest_us` is not above 0, the key has no lease or claim (a turn is below 0) that could have ended. Leases of other
-- numbers may be longer.
local function hold(key, end_us, call, units, count, newest_us)
  if newest_us <= end_us + slip_us then
    end_us = math.max(end_us, newest_us)
  end
  -- This is written first, as a server without memory refuses it only as long as the script has written nothing.
  add(key, end_us, call, units, count)
  if newest_us > 0 then
    sweep(key)
  end
  live(key, math.max(end_us, newest_us) - now_us)
end

local function take(key, at, cost, count, newest_us)
  local call = ARGV[at + 3]
  if ARGV[at + 2] == '1' then
    call = string.format('%s@%.0f', call, ARGV[at + 1])
  end
  hold(key, now_us + ARGV[at + 1], call, cost, count, newest_us)
  return call
end

-- A lease is given back as a whole. What is left is read, and repaired, by the next look.
local function give(key, _, _, receipt, charged)
  remove_entries(key, receipt, charged, charged)
end

local function charge()
  -- Nothing is in flight beyond the limit, whatever it is charged.
end

local function lives(key, mark)
  return tonumber(redis.call('ZSCORE', key, mark .. ':1') or 0) > now_us
end

-- Renews a lease. One that has ended is taken again only where there is room, as its place may be another's by now.
local function renew(key, at, units, receipt)
  local end_us = now_us + ARGV[at + 1]
  local newest_us, count = read_entries(key, now_us, end_us, ARGV[at + 2] == '1', true)
  if not newest_us then
    return nil, count
  end
  local held = lives(key, receipt)
  if held then
    count = count - units
  elseif count + units > ARGV[at] + 0 then
    return 0
  end
  hold(key, end_us, receipt, units, count, newest_us)
  return held and 2 or 1
end

-- The first units that wait, in the order of their turns, and how many units are in flight. A turn without a claim is over.
local function read_line(key, live_units)
  local turns, names, claims = redis.call('ZRANGEBYSCORE', key, '-inf', '(0', 'LIMIT', 0, 256), {}, {}
  -- Claims that have ended and have not been swept still have turns.
  local ended = redis.call('ZCOUNT', key, 0, string.format('%.0f', now_us))
  local used = live_units - redis.call('ZCOUNT', key, '-inf', '(0') + ended
  for i, turn in ipairs(turns) do
    names[i] = '~' .. string.sub(turn, 2)
  end
  for i, found in ipairs(#names > 0 and redis.call('ZMSCORE', key, unpack(names)) or {}) do
    if tonumber(found or 0) > now_us then
      claims[#claims + 1] = names[i]
    else
      redis.call('ZREM', key, turns[i], names[i])
      if not found then
        used = used + 1
      end
    end
  end
  return claims, used
end

-- Gives places to callers of this call, as far as there is room for all that come before them. Answers the newest end.
local function serve(key, limit, end_us, live_units, newest_us, callers, outcomes)
  local claims, used = read_line(key, live_units)
  for _, claim in ipairs(claims) do
    used = used + 1
    if used > limit then
      break
    end
    local call = string.match(claim, '^~(.*):%d+$')
    local caller = callers[call]
    if caller then
      caller.left = caller.left - 1
      if caller.left == 0 then
        hold(key, end_us, call, caller.units, 0, newest_us)
        newest_us = math.max(newest_us, end_us)
        remove_entries(key, '~' .. call, caller.units, caller.units)
        remove_entries(key, '=' .. call, caller.units, caller.units)
        outcomes[caller.nth] = 2
      end
    end
  end
  return newest_us
end

-- The time of arrival in steps of 128 us, so that it fits into one number with the priority, from -100 to 100.
local function turn_of(priority, since_us)
  return math.floor(since_us / 128) - (priority + 101) * 2 ^ 45
end

-- Removes the callers that leave, and places that they may have without knowing it. Answers the outcomes, and the callers that stay.
local function let_leave(key, first, count)
  local outcomes, staying = {}, {}
  for nth = 1, count do
    local place = first + 4 * (nth - 1)
    if ARGV[place + 3] == '-1' then
      for _, mark in ipairs({ '~', '=', '' }) do
        remove_entries(key, mark .. ARGV[place], ARGV[place + 1] + 0, ARGV[place + 1] + 0)
      end
      outcomes[nth] = 0
    else
      local waited_us = ARGV[place + 3] + 0
      staying[#staying + 1] = {
        nth = nth,
        call = ARGV[place],
        units = ARGV[place + 1] + 0,
        priority = ARGV[place + 2] + 0,
        waited_us = math.max(waited_us, -2 - waited_us),
        stands = waited_us < 0,
      }
    end
  end
  return outcomes, staying
end

-- Reads of each caller whether it holds a place, whether it has a claim, and its turn.
local function read_callers(key, callers)
  local names = {}
  for _, caller in ipairs(callers) do
    for _, mark in ipairs({ '', '~', '=' }) do
      names[#names + 1] = mark .. caller.call .. ':1'
    end
  end
  local found = #names > 0 and redis.call('ZMSCORE', key, unpack(names)) or {}
  for i, caller in ipairs(callers) do
    caller.holds = tonumber(found[3 * i - 2] or 0) > now_us
    caller.stood = tonumber(found[3 * i - 1] or 0) > now_us
    caller.since = tonumber(found[3 * i] or '')
  end
end

-- Gives the callers that wait their turns, and writes their claims. A call that was long on its way makes an arrival look late, so of all
-- arrivals that a caller has sent, the earliest counts; and within one call, no caller comes before those that stand before it.
local function stand(key, claim_end_us, callers, outcomes)
  local waiting, least = redis.call('ZCOUNT', key, '-inf', '(0'), {}
  for _, caller in ipairs(callers) do
    local outcome = 1
    if caller.holds then
      -- The answer that said so was lost.
      outcome = 2
    else
      caller.turn = turn_of(caller.priority, now_us - caller.waited_us)
      if caller.stood then
        caller.turn = math.min(caller.turn, caller.since or caller.turn)
      elseif waiting + caller.units > 10000 then
        outcome, caller.turn = 0, nil
      else
        waiting = waiting + caller.units
      end
    end
    outcomes[caller.nth] = outcome
  end
  for i = #callers, 1, -1 do
    local caller = callers[i]
    if caller.turn then
      caller.turn = math.min(caller.turn, least[caller.priority] or caller.turn)
      least[caller.priority] = caller.turn
    end
  end
  for _, caller in ipairs(callers) do
    if caller.turn then
      add(key, claim_end_us, '~' .. caller.call, caller.units, 0)
      if not caller.stood or caller.turn ~= caller.since then
        add(key, caller.turn, '=' .. caller.call, caller.units, 0)
      end
    end
  end
end

local function line(key, at, first, count)
  local limit, end_us = ARGV[at] + 0, now_us + ARGV[at + 1]
  local newest_us, live_units = read_entries(key, now_us, end_us, ARGV[at + 2] == '1', true)
  if not newest_us then
    return nil, live_units
  end
  sweep(key)
  local outcomes, callers = let_leave(key, first, count)
  read_callers(key, callers)
  stand(key, math.min(end_us, now_us + 3000000), callers, outcomes)
  local asking = {}
  for _, caller in ipairs(callers) do
    if outcomes[caller.nth] == 1 and not caller.stands then
      asking[caller.call] = { units = caller.units, left = caller.units, nth = caller.nth }
    end
  end
  newest_us, live_units = read_entries(key, now_us, end_us, ARGV[at + 2] == '1', true)
  -- The turns counted here may include some that are over: if this finds no room, there is none; if it finds room, there may be some.
  if next(asking) and live_units - redis.call('ZCOUNT', key, '-inf', '(0') < limit then
    newest_us = serve(key, limit, end_us, live_units, newest_us, asking, outcomes)
  end
  local reset_us = 0
  if live_units > 0 then
    reset_us = newest_us - now_us
    live(key, reset_us)
  end
  return math.max(0, limit - live_units), math.min(reset_us, 1000000), reset_us, outcomes
end
