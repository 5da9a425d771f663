--[[
Approximate sliding window: this window's count, and the last one's weighted by how much of it still overlaps.
State    string "NTH:WINDOW:COUNT:PREVIOUS"; NTH is the end of this window, as a multiple of its length. The length is in milliseconds, or
         where it is no whole number of them in microseconds with a "u" behind it. Behind that, where policies were chosen for calls,
         ":UNITS:UNTIL:REACH": units of windows of another length, which count in full until all of them have left, and how far ahead
         that may be at most. Last of all "!CUT" where other numbers have cut windows short whose receipts would have held until CUT
ARGV     limit, window_us, "1" where the policy was chosen for this call
Receipt  END, or "END:CUT" of a window that began before CUT
TTL      until the end of the next window, or until what is held has left, and until CUT
]]
-- The text of a state, and how long it lives. `more`: what is held, and the cut.
local function drafted(end_us, count, previous, window_us, more)
  local length = window_us % 1000 == 0 and whole(window_us / 1000) or whole(window_us) .. 'u'
  local life_us = end_us - now_us + window_us
  if more ~= '' then
    local held_us, cut_us = string.match(more, '^:%d+:(%d+)'), string.match(more, '!(%d+)$')
    life_us = math.max(life_us, (held_us or 0) - now_us, (cut_us or 0) - now_us)
  end
  return whole(end_us / window_us) .. ':' .. length .. ':' .. whole(count) .. ':' .. whole(previous) .. more, life_us
end

local function write(key, end_us, count, previous, window_us, held, cut_us)
  local more = cut_us and string.format('%s!%.0f', held, cut_us) or held
  keep(key, drafted(end_us, count, previous, window_us, more))
end

local function held_text(units, until_us, reach_us)
  if units == 0 or until_us <= now_us then
    units, until_us = 0, 0
  end
  return string.format(':%.0f:%.0f:%.0f', units, until_us, reach_us)
end

-- Units that are held now, until when, and how far ahead that may be at most.
local function read_held(held)
  if held == '' then
    return 0, 0, 0
  end
  local units, until_us, reach_us = string.match(held, '^:(%d+):(%d+):(%d+)$')
  units, until_us, reach_us = tonumber(units), tonumber(until_us), tonumber(reach_us)
  if until_us <= now_us then
    return 0, 0, reach_us
  end
  return units, until_us, reach_us
end

local function end_of(window_us)
  return now_us - now_us % window_us + window_us
end

-- The counters as of now, and the cut while it matters.
local function roll(end_us, count, previous, window_us, cut_us)
  if end_us > now_us then
    return end_us, count, previous, cut_us
  end
  local own_us = end_of(window_us)
  -- No window that still counts began before the cut.
  if cut_us and cut_us <= own_us - 2 * window_us then
    cut_us = nil
  end
  return own_us, 0, end_us + window_us > now_us and count or 0, cut_us
end

-- No two cuts of a key are the same instant.
local function cut_again(cut_us, until_us)
  return math.max(until_us, (cut_us or 0) + 1)
end

-- Reads and repairs the counters of a state with charges of chosen policies, in windows of the state's own length.
local function roll_mixed(key, end_us, count, previous, length_us, held, cut_us)
  if held ~= '' and not giving then
    local units, until_us, reach_us = read_held(held)
    local ahead, held_ahead = end_us > now_us + length_us + slip_us, until_us > now_us + reach_us + slip_us
    if ahead then
      cut_us = cut_again(cut_us, end_us + length_us)
      end_us, count, previous = end_of(length_us), count + previous, 0
    end
    if ahead or held_ahead then
      held = held_text(units, held_ahead and now_us + reach_us or until_us, reach_us)
      write(key, end_us, count, previous, length_us, held, cut_us)
    end
  end
  end_us, count, previous, cut_us = roll(end_us, count, previous, length_us, cut_us)
  return end_us, count, previous, length_us, held_text(read_held(held)), cut_us
end

-- End, count and previous as they are stored, the length of both, what is held, and the cut; nil and the reply where it is no such state.
local function parse(raw)
  if type(raw) ~= 'string' then
    return nil, raw
  end
  local nth, length, unit, count, previous, held = string.match(raw, '^(%d+):(%d+)(u?):(%d+):(%d+)(.*)$')
  if not nth then
    return nil, raw
  end
  local length_us = unit == 'u' and length + 0 or length * 1000
  local cut_us
  if held ~= '' then
    held, cut_us = string.match(held, '^([^!]*)!?(%d*)$')
    cut_us = tonumber(cut_us)
  end
  return nth * length_us, tonumber(count), tonumber(previous), length_us, held, cut_us
end

-- Reads and repairs the same as of now.
local function read(key, at)
  local window_us, chosen = ARGV[at + 1] + 0, ARGV[at + 2] == '1'
  local raw = fetch(key)
  if not raw then
    return end_of(window_us), 0, 0, window_us, chosen and held_text(0, 0, 0) or ''
  end
  local end_us, count, previous, length_us, held, cut_us = parse(raw)
  if not end_us then
    return nil, raw
  end
  if held ~= '' or chosen then
    return roll_mixed(key, end_us, count, previous, length_us, held, cut_us)
  end
  local misfit = end_us > now_us + window_us + slip_us or end_us % window_us ~= 0
  if not giving and (misfit or length_us ~= window_us) then
    local until_us = end_us + length_us
    cut_us = cut_again(cut_us, until_us)
    if until_us <= now_us then
      end_us, count, previous = end_of(window_us), 0, 0
    elseif misfit then
      end_us, count, previous = end_of(window_us), count + previous, 0
    end
    write(key, end_us, count, previous, window_us, '', cut_us)
  end
  end_us, count, previous, cut_us = roll(end_us, count, previous, window_us, cut_us)
  return end_us, count, previous, window_us, '', cut_us
end

-- Which window was charged: one that began after the cut needs no mark.
local function receipt_of(end_us, window_us, cut_us)
  return cut_us and end_us - window_us < cut_us and string.format('%.0f:%.0f', end_us, cut_us) or end_us
end

-- The counters as the call sees them: those of windows of another length are held.
local function see(key, at)
  local end_us, count, previous, length_us, held, cut_us = read(key, at)
  local window_us = ARGV[at + 1] + 0
  if not end_us or length_us == window_us then
    return end_us, count, previous, held, cut_us
  end
  local units, until_us, reach_us = read_held(held)
  local left_us = count > 0 and end_us + length_us or previous > 0 and end_us or 0
  held = held_text(units + count + previous, math.max(until_us, left_us), math.max(reach_us, 2 * length_us))
  return end_of(window_us), 0, 0, held, cut_us
end

-- How long until a cost fits beside both counters.
local function wait_of(end_us, count, previous, window_us, limit, cost)
  local rest_us, spare = end_us - now_us, limit - count - cost
  if spare < 0 then
    return rest_us + math.max(0, window_us - math.floor((limit - cost) * window_us / count))
  end
  return previous == 0 and 0 or math.max(0, rest_us - math.floor(spare * window_us / previous))
end

local function look(key, at, cost)
  local limit, window_us = ARGV[at] + 0, ARGV[at + 1] + 0
  local end_us, count, previous, held, cut_us = see(key, at)
  if not end_us then
    return nil, count
  end
  local units, until_us = read_held(held)
  if cut_us then
    held = string.format('%s!%.0f', held, cut_us)
  end
  local rest_us = end_us - now_us
  local free = limit - units
  local spare = free - count - cost
  local fits = spare >= 0 and (previous == 0 or rest_us <= math.floor(spare * window_us / previous))
  local total = count
  if fits then
    total = count + cost
  end
  local reset_us = 0
  if total > 0 then
    reset_us = rest_us + window_us
  elseif previous > 0 then
    reset_us = rest_us
  end
  if units > 0 then
    reset_us = math.max(reset_us, until_us - now_us)
  end
  local remaining = math.max(0, free - total - math.ceil(previous * rest_us / window_us))
  if fits or cost == 0 then
    return 0, 0, remaining, 0, reset_us, end_us, count + cost, previous, held
  end
  if cost > limit then
    return 3, 0, remaining, -1, reset_us, end_us, count + cost, previous, held
  end
  local wait_us = wait_of(end_us, count, previous, window_us, limit, cost)
  if units > 0 then
    -- The wait is over when what is held is gone, or sooner where the cost fits beside it.
    wait_us = math.max(until_us - now_us, wait_us)
    if free >= cost then
      wait_us = math.min(wait_us, wait_of(end_us, count, previous, window_us, free, cost))
    end
  end
  return 1, 0, remaining, wait_us, reset_us, end_us, count + cost, previous, held
end

local function take(key, at, cost, end_us, count, previous, more)
  local window_us = ARGV[at + 1] + 0
  write(key, end_us, count, previous, window_us, more)
  return receipt_of(end_us, window_us, more ~= '' and tonumber(string.match(more, '!(%d+)$')))
end

-- The common case, for admit.lua: no state, or counters of windows of the same length, none of which ends after the one that runs.
local function admit(key, at, units)
  local limit, window_us = ARGV[at] + 0, ARGV[at + 1] + 0
  if ARGV[at + 2] == '1' then
    return
  end
  local raw = fetch(key)
  local own_us = now_us - now_us % window_us + window_us
  local count, previous = 0, 0
  if raw then
    if type(raw) ~= 'string' then
      return
    end
    local nth, length, unit, counted, before = string.match(raw, '^(%d+):(%d+)(u?):(%d+):(%d+)$')
    if not nth or window_us ~= (unit == 'u' and length + 0 or length * 1000) then
      return
    end
    local end_us = nth * window_us
    if end_us > own_us then
      return
    elseif end_us == own_us then
      count, previous = counted + 0, before + 0
    elseif end_us + window_us == own_us then
      previous = counted + 0
    end
  end
  local rest_us = own_us - now_us
  local spare = limit - count - units
  if spare < 0 or (previous > 0 and rest_us > math.floor(spare * window_us / previous)) then
    return
  end
  local remaining = spare - math.ceil(previous * rest_us / window_us)
  local text, life_us = drafted(own_us, count + units, previous, window_us, '')
  return math.max(0, remaining), rest_us + window_us, own_us, text, life_us, nil, nil, 0
end

-- Gives back out of the counter that was charged, as long as it is one of the two.
local function give(key, at, units, receipt)
  local end_us, count, previous, window_us, held, cut_us = parse(fetch(key))
  if not end_us or window_us ~= ARGV[at + 1] + 0 then
    return
  end
  -- The receipt comes as a text; one without a cut is compared as a number.
  receipt = tonumber(receipt) or receipt
  if receipt == receipt_of(end_us, window_us, cut_us) then
    count = math.max(0, count - units)
  elseif receipt == receipt_of(end_us - window_us, window_us, cut_us) then
    previous = math.max(0, previous - units)
  else
    return
  end
  write(key, end_us, count, previous, window_us, held, cut_us)
end

-- Gives back out of this window's counter, then out of the last one's, then out of what is held.
local function reward(key, at, units)
  local end_us, count, previous, held, cut_us = see(key, at)
  if not end_us then
    return
  end
  local held_units, until_us, reach_us = read_held(held)
  if count + previous + held_units == 0 then
    return
  end
  local rest = math.max(0, units - count)
  if held ~= '' then
    held = held_text(math.max(0, held_units - math.max(0, rest - previous)), until_us, reach_us)
  end
  write(key, end_us, math.max(0, count - units), math.max(0, previous - rest), ARGV[at + 1] + 0, held, cut_us)
end

-- Where callers can reserve: when the counted units are within the limit. The window of the newest of them may begin later than now.
local function due(key, at)
  local end_us, reply = read(key, at)
  if not end_us then
    return nil, reply
  end
  local nth, length, unit = string.match(fetch(key) or '1:0', '^(%d+):(%d+)(u?)')
  local called_us, limit, window_us = now_us, ARGV[at] + 0, ARGV[at + 1] + 0
  now_us = math.max(now_us, (nth - 1) * length * (unit == 'u' and 1 or 1000))
  local last_us, last, previous, held = see(key, at)
  local due_us = now_us
  -- Where units are held, the rest of the wait is left to that of the cost.
  if read_held(held) == 0 then
    due_us = due_us + wait_of(last_us, last, previous, window_us, limit, 0)
  end
  now_us = called_us
  return due_us
end

local function newest_of(key)
  return string.match(fetch(key), '^%d+:%d+u?:%d+')
end
