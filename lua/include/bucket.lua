-- A bucket with a constant rate, in whole numbers: used is measured in 1/parts tokens, of which `flow` drain each µs.
-- Token bucket and leaky bucket are this one piece in two words.

local function write_bucket(key, used, parts, back, life_us)
  local value = string.format('%.0f:%.0f:%.0f:%.0f', used, now_us, parts, back)
  keep(key, value, life_us)
  return value
end

-- A bucket that starts empty is kept for twice the time it takes to fill, a minute at least (a client may wait in whole seconds),
-- and for a debt beyond that.
local function empty_life_us(used, full, flow)
  return math.max(2 * math.ceil(full / flow), 60000000) + math.ceil(math.max(0, used - full) / flow)
end

-- Writes what is used now, for as long as it matters.
local function store_bucket(key, at, used, back)
  local flow, full = ARGV[at] + 0, ARGV[at + 2] * ARGV[at + 1]
  local life_us = math.ceil((used + back) / flow)
  if ARGV[at + 3] == '1' then
    life_us = empty_life_us(used, full, flow)
  end
  return write_bucket(key, used, ARGV[at + 1], back, life_us)
end

-- What is used now, what was given back, and whether it is that of an unknown key; nil and the reply where it is no such state.
local function read_bucket(key, at, cost)
  local flow, parts = ARGV[at] + 0, ARGV[at + 1] + 0
  local full, empty = ARGV[at + 2] * parts, ARGV[at + 3] == '1'
  local raw = fetch(key)
  if raw then
    if type(raw) ~= 'string' then
      return nil, raw
    end
    local used, written_us, stored_parts, back = string.match(raw, '^(%d+):(%d+):(%d+):(%d+)$')
    if not used then
      return nil, raw
    end
    used, written_us, stored_parts, back = tonumber(used), tonumber(written_us), tonumber(stored_parts), tonumber(back)
    if stored_parts ~= parts then
      used, back = math.ceil(used * parts / stored_parts), 0
    end
    if not empty or now_us - written_us < empty_life_us(used, full, flow) then
      local most = full + ARGV[at + 4] * flow
      local elapsed_us = now_us - written_us
      local drained = math.max(0, elapsed_us) * flow
      if used + back <= drained then
        back = 0
      end
      used = math.max(0, used - drained)
      if used > most + slip_us * flow or elapsed_us < -slip_us then
        used = math.min(used, most)
        store_bucket(key, at, used, back)
      elseif elapsed_us < 0 then
        -- More by what drains until the clock is there again.
        used = used - elapsed_us * flow
      end
      return used, back
    end
  end
  if not empty then
    return 0, 0, true
  end
  if cost > 0 and not looking then
    store_bucket(key, at, full, 0)
  end
  return full, 0, true
end

local function look(key, at, cost)
  local used, back = read_bucket(key, at, cost)
  if not used then
    return nil, back
  end
  local flow, parts = ARGV[at] + 0, ARGV[at + 1] + 0
  local full, added = ARGV[at + 2] * parts, cost * parts
  local room = full - used - added
  if room >= 0 then
    return 0, 0, math.floor(room / parts), 0, math.ceil((used + added) / flow), used + added, back
  end
  local remaining, reset_us = math.max(0, math.floor((full - used) / parts)), math.ceil(used / flow)
  if cost == 0 then
    return 0, 0, remaining, 0, reset_us
  end
  local drafted = math.max(used, math.min(used + added, full + ARGV[at + 4] * flow))
  if added > full then
    return 3, 0, remaining, -1, reset_us, drafted, back
  end
  return 1, 0, remaining, math.ceil(-room / flow), reset_us, drafted, back, math.ceil(drafted / flow)
end

local function take(key, at, cost, used, back)
  return store_bucket(key, at, used, back)
end

-- Gives back what of the charge has not drained yet, and never what was given back already. While so much is used that somebody
-- may hold a reservation, only what nobody has built upon: the promised instants do not move.
local function give(key, at, units, receipt)
  local used, back = read_bucket(key, at, 0)
  local mine, taken_us, parts, mine_back = string.match(receipt, '^(%d+):(%d+):(%d+):(%d+)$')
  if not used or parts ~= ARGV[at + 1] or back < tonumber(mine_back) then
    return
  end
  local mine_now = mine - (now_us - taken_us) * ARGV[at]
  local held = used > ARGV[at + 2] * parts
  if held and used > mine_now then
    return
  end
  local restored = math.min(units * parts, used)
  if not held then
    restored = math.min(restored, mine_now - (back - mine_back))
  end
  if restored > 0 then
    store_bucket(key, at, used - restored, back + restored)
  end
end

-- Gives back what has not drained yet, whoever it was charged to: a caller that waits for its turn keeps it.
local function reward(key, at, units)
  local used, back, unknown = read_bucket(key, at, 0)
  if used and used > 0 and not unknown then
    local restored = math.min(units * ARGV[at + 1], used)
    store_bucket(key, at, used - restored, back + restored)
  end
end

-- A key that has used nothing: where buckets start empty an unknown key is not one.
local function unused(key, at)
  if ARGV[at + 3] == '1' then
    store_bucket(key, at, 0, 0)
  end
end

-- The next call of cost 1 waits at least this long: raised, never added.
local function raise(key, at, wait_us)
  local used, back = read_bucket(key, at, 1)
  local flow, parts, capacity = ARGV[at] + 0, ARGV[at + 1] + 0, ARGV[at + 2] + 0
  local raised = math.min((capacity - 1) * parts + wait_us * flow, capacity * parts + ARGV[at + 4] * flow)
  if used and raised > used then
    store_bucket(key, at, raised, back)
  end
end
