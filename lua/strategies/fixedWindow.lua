--[[
At most a limit a window; the window starts at the first hit, or is aligned to the clock, or is one of a calendar.
State    string of END, which has sixteen digits until the year 2286, and COUNT in three, which together are an integer; "END:COUNT" from
         1,000 on; "END:COUNT:WINDOW_US" where a policy has opened it that was chosen for a call
ARGV     limit, window_us, start ("0": the first hit, "1": the clock, "2": the calendar), "0" or where the policy was chosen for this
         call, how long the limiter's own windows are, and of a calendar, whose longest window window_us is, three ends in their
         order: the caller takes the second for the next one by the server's clock
Receipt  END
TTL      until END
]]
--@include window
-- A running window has the text of its end; the life that it was given at its first hit goes on.
local function take(key, at, cost, end_us, count, end_text, span_us)
  if end_text and cost > 0 and count < 1000 and not span_us then
    keep_more(key, cost, end_text, count)
    return end_us
  end
  local value
  if span_us then
    value = string.format('%s:%d:%.0f', end_text or digits(end_us), count, span_us)
  else
    value = string.format(count < 1000 and '%s%03d' or '%s:%d', end_text or digits(end_us), count)
  end
  if end_text then
    keep(key, value)
  else
    keep(key, value, end_us - now_us)
  end
  return end_us
end

local function look(key, at, cost)
  local limit, window_us, usual_us = ARGV[at] + 0, ARGV[at + 1] + 0, ARGV[at + 3] + 0
  local chosen = usual_us > 0
  local next_us = now_us + window_us
  local furthest_us = next_us + slip_us
  if ARGV[at + 2] == '2' then
    local calendar_us, following_us = ARGV[at + 4] + 0, ARGV[at + 5] + 0
    if calendar_us <= now_us then
      calendar_us, following_us = following_us, ARGV[at + 6] + 0
    end
    if calendar_us <= now_us then
      calendar_us, following_us = following_us, nil
    end
    -- Else the caller takes the server's clock for another by more than a window: its next call knows better, and moves the end.
    if calendar_us > now_us and calendar_us <= now_us + 2 * window_us then
      next_us, furthest_us = calendar_us, calendar_us
      if following_us and calendar_us <= now_us + slip_us then
        furthest_us = following_us
      end
    end
  end
  local end_us, count, end_text, span_us = 0, 0, nil, nil
  local raw = fetch(key)
  if raw then
    if type(raw) ~= 'string' then
      return nil, raw
    end
    end_text = string.sub(raw, 1, 16)
    end_us, count = tonumber(end_text), tonumber(string.sub(raw, 17))
    if not count or string.len(raw) ~= 19 then
      count, span_us = string.match(raw, '^%d+:(%d+):?(%d*)$')
      if not count then
        return nil, raw
      end
      count, span_us = tonumber(count), tonumber(span_us)
    end
    local kept_us = repaired_end(end_us, furthest_us, next_us, chosen, span_us)
    if kept_us ~= end_us then
      end_us, end_text = kept_us, digits(kept_us)
      take(key, at, cost, end_us, count, nil, span_us)
    end
  end
  if ARGV[at + 2] == '1' then
    next_us = next_us - now_us % window_us
  end
  if end_us <= now_us then
    return look_window(limit, next_us, 0, cost, nil, chosen and window_us or nil)
  end
  local last_us, last_span_us = lasting(end_us, span_us, next_us, window_us, usual_us, ARGV[at + 2] ~= '0')
  return look_window(limit, end_us, count, cost, end_text, span_us, last_us, last_span_us, nil)
end

-- The usual, for admit.lua: no window, or one that runs as the limiter's own policy has opened it, with room for less than 1,000.
local function admit(key, at)
  local limit, window_us, usual_us = ARGV[at] + 0, ARGV[at + 1] + 0, ARGV[at + 3] + 0
  if limit < 1 or usual_us > 0 then
    return
  end
  local raw = fetch(key)
  if raw then
    if type(raw) ~= 'string' or string.len(raw) ~= 19 then
      return
    end
    local end_text = string.sub(raw, 1, 16)
    local end_us, count = tonumber(end_text), tonumber(string.sub(raw, 17))
    if not end_us or end_us <= now_us or end_us > now_us + window_us + slip_us then
      return
    end
    if not count or count >= 999 or count >= limit then
      return
    end
    return limit - count - 1, end_us - now_us, end_us, end_text, nil, count + 1
  end
  local end_us = now_us + window_us
  if ARGV[at + 2] == '1' then
    end_us = end_us - now_us % window_us
  end
  return limit - 1, end_us - now_us, end_us, digits(end_us) .. '001', end_us - now_us
end

-- Only into the window that was charged.
local function give(key, at, units, receipt)
  local status, _, _, _, _, end_us, count, end_text, span_us = look(key, at, 0)
  if status and end_text and end_us == tonumber(receipt) then
    take(key, at, 0, end_us, math.max(0, count - units), end_text, span_us)
  end
end

local function reward(key, at, units)
  local status, _, _, _, _, end_us, count, end_text, span_us = look(key, at, 0)
  if status and end_text and count > 0 then
    take(key, at, 0, end_us, math.max(0, count - units), end_text, span_us)
  end
end

-- Where callers can reserve: when the newest window begins, as all that were before it are full.
local function due(key, at)
  local status, reply, _, _, _, end_us, _, end_text, span_us = look(key, at, 0)
  if not status then
    return nil, reply
  end
  if not end_text then
    return 0
  end
  if ARGV[at + 2] ~= '2' then
    return end_us - span_us
  end
  if end_us == ARGV[at + 5] + 0 then
    return ARGV[at + 4] + 0
  end
  return end_us == ARGV[at + 6] + 0 and ARGV[at + 5] + 0 or 0
end

local function newest_of(key)
  return string.sub(fetch(key), 1, 16)
end
