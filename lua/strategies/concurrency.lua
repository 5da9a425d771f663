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
-- A lease may be given back or renewed before it ends, so its end says little of when its place is free: advice of a second at most.
local function look(key, at, cost)
  local chosen, leases = ARGV[at + 2] == '1', true
  local limit, dead_us, latest_us, longest_us = ARGV[at] + 0, now_us, now_us + ARGV[at + 1], 1000000
  --@include look_entries
end

-- A key that nobody holds has nothing that has ended. What is below 0 are turns. Leases of other numbers may be longer.
local function hold(key, end_us, call, units, count, newest_us)
  if newest_us <= end_us + slip_us then
    end_us = math.max(end_us, newest_us)
  end
  -- First, as a server without memory refuses it only as long as the script has written nothing.
  add(key, end_us, call, units, count)
  if newest_us > 0 then
    redis.call('ZREMRANGEBYSCORE', key, 0, string.format('%.0f', now_us))
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

-- One that has ended is taken again only where there is room: its place may be another's by now.
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

-- The units that wait, in the order of their turns. A turn without a claim is over: claims that have ended are gone by now.
local function read_line(key)
  local turns, claims = redis.call('ZRANGEBYSCORE', key, '-inf', '(0'), {}
  for from = 1, #turns, 1000 do
    local names = {}
    for i = from, math.min(from + 999, #turns) do
      names[#names + 1] = '~' .. string.sub(turns[i], 2)
    end
    for i, end_us in ipairs(redis.call('ZMSCORE', key, unpack(names))) do
      if end_us then
        claims[#claims + 1] = names[i]
      else
        redis.call('ZREM', key, turns[from + i - 1])
      end
    end
  end
  return claims
end

-- Gives places to the callers of this call as far as there is room for all that come before them: answers the newest end.
local function serve(key, limit, end_us, live_units, newest_us, callers, outcomes)
  local claims = read_line(key)
  local used = live_units - #claims
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

local function line(key, at, first, count)
  local limit, end_us = ARGV[at] + 0, now_us + ARGV[at + 1]
  local claim_end_us = math.min(end_us, now_us + 3000000)
  local newest_us, live_units = read_entries(key, now_us, end_us, ARGV[at + 2] == '1', true)
  if not newest_us then
    return nil, live_units
  end
  redis.call('ZREMRANGEBYSCORE', key, 0, string.format('%.0f', now_us))
  local callers, outcomes, waiting = {}, {}, nil
  for nth = 1, count do
    local place = first + 4 * (nth - 1)
    local call, units, waited_us = ARGV[place], ARGV[place + 1] + 0, ARGV[place + 3] + 0
    local claim, turn, outcome = '~' .. call, '=' .. call, 1
    if waited_us < 0 then
      -- It leaves; its place too, where it has one that it does not know of.
      remove_entries(key, claim, units, units)
      remove_entries(key, turn, units, units)
      remove_entries(key, call, units, units)
      outcome, waiting = 0, nil
    elseif lives(key, call) then
      -- The answer that said so was lost.
      outcome = 2
    elseif lives(key, claim) then
      add(key, claim_end_us, claim, units, 0)
    else
      waiting = waiting or redis.call('ZCOUNT', key, '-inf', '(0')
      if waiting + units > 10000 then
        outcome = 0
      else
        waiting = waiting + units
        add(key, claim_end_us, claim, units, 0)
        add(key, turn_of(ARGV[place + 2] + 0, now_us - waited_us), turn, units, 0)
      end
    end
    outcomes[nth] = outcome
    if outcome == 1 then
      callers[call] = { units = units, left = units, nth = nth }
    end
  end
  newest_us, live_units = read_entries(key, now_us, end_us, ARGV[at + 2] == '1', true)
  -- Turns that are over may be among those that are counted: then there may be room, and else there is none.
  if next(callers) and live_units - redis.call('ZCOUNT', key, '-inf', '(0') < limit then
    newest_us = serve(key, limit, end_us, live_units, newest_us, callers, outcomes)
  end
  local reset_us = 0
  if live_units > 0 then
    reset_us = newest_us - now_us
    live(key, reset_us)
  end
  return math.max(0, limit - live_units), math.min(reset_us, 1000000), reset_us, outcomes
end
