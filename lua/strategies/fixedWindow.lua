--[[
At most a limit a window; the window starts at the first hit, or is aligned to the clock, or is one of a calendar.
State    string of END, which has sixteen digits until the year 2286, and COUNT in three, which together are an integer; "END:COUNT" from
         1,000 on; "END:COUNT:WINDOW_US" where a policy has opened it that was chosen for a call; "END:COUNT::CUT" or
         "END:COUNT:WINDOW_US:CUT" where other numbers have cut a window short whose receipts would have held until CUT
ARGV     limit, window_us, start ("0": the first hit, "1": the clock, "2": the calendar), "0" or where the policy was chosen for this
         call, how long the limiter's own windows are. With a calendar, window_us is its longest window, and three ends follow in
         their order: the caller expects the second to be the next one by the server's clock
Receipt  END, or "END:CUT"
TTL      until END, and until CUT
]]
--@include window

-- `end_text` is the end of a window that runs already: its key keeps the life that it got at the first hit. `span`: how long the windows
-- of the chosen policy are that has opened it, or a table of that and of the cut.
local function take(key, at, cost, end_us, count, end_text, span)
  if end_text and cost > 0 and count < 1000 and not span then
    keep_more(key, cost == 1 and '1' or cost, end_text, count)
    return end_us
  end
  local span_us, cut_us = span, nil
  if type(span) == 'table' then
    span_us, cut_us = span[1], span[2]
  end
  local value = end_text or digits(end_us)
  if cut_us then
    value = string.format('%s:%d:%s:%.0f', value, count, span_us and digits(span_us) or '', cut_us)
  elseif span_us then
    value = string.format('%s:%d:%.0f', value, count, span_us)
  else
    value = string.format(count < 1000 and '%s%03d' or '%s:%d', value, count)
  end
  if end_text then
    keep(key, value)
  else
    keep(key, value, math.max(end_us, cut_us or 0) - now_us)
  end
  return cut_us and string.format('%.0f:%.0f', end_us, cut_us) or end_us
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
    -- Otherwise the caller's idea of the server's clock is wrong by more than a window: its next call knows better, and moves the end.
    if calendar_us > now_us and calendar_us <= now_us + 2 * window_us then
      next_us, furthest_us = calendar_us, calendar_us
      if following_us and calendar_us <= now_us + slip_us then
        furthest_us = following_us
      end
    end
  end
  local end_us, count, end_text, span_us, cut_us = 0, 0, nil, nil, nil
  local raw = fetch(key)
  if raw then
    if type(raw) ~= 'string' then
      return nil, raw
    end
    end_text = string.sub(raw, 1, 16)
    end_us, count = tonumber(end_text), tonumber(string.sub(raw, 17))
    if not count or #raw ~= 19 then
      count, span_us, cut_us = string.match(raw, '^%d+:(%d+):?(%d*):?(%d*)$')
      if not count then
        return nil, raw
      end
      count, span_us, cut_us = tonumber(count), tonumber(span_us), tonumber(cut_us)
    end
    local kept_us = repaired_end(end_us, furthest_us, next_us, chosen, span_us)
    if kept_us ~= end_us then
      -- No two cuts of a key are the same instant.
      cut_us = math.max(end_us, (cut_us or 0) + 1)
      end_us, end_text = kept_us, digits(kept_us)
      take(key, at, cost, end_us, count, nil, { span_us, cut_us })
    end
  end
  if ARGV[at + 2] == '1' then
    next_us = next_us - now_us % window_us
  end
  if end_us <= now_us then
    span_us = chosen and window_us or nil
    return look_window(limit, next_us, 0, cost, nil, cut_us and cut_us > now_us and { span_us, cut_us } or span_us)
  end
  local last_us, last_span_us = lasting(end_us, span_us, next_us, window_us, usual_us, ARGV[at + 2] ~= '0')
  local span, last_span = span_us, last_span_us
  if cut_us then
    span, last_span = { span_us, cut_us }, { last_span_us, cut_us }
  end
  return look_window(limit, end_us, count, cost, end_text, span, last_us, last_span, nil)
end

-- The common case, for admit.lua: no window, or one that runs as the limiter's own policy has opened it, with room.
local function admit(key, at, units)
  local limit, window_us, usual_us = ARGV[at] + 0, ARGV[at + 1] + 0, ARGV[at + 3] + 0
  if limit < units or usual_us > 0 then
    return
  end
  local raw = fetch(key)
  if raw then
    if type(raw) ~= 'string' then
      return
    end
    local end_text = string.sub(raw, 1, 16)
    local end_us, count = tonumber(end_text), #raw == 19 and tonumber(string.sub(raw, 17))
    if not count then
      count = tonumber(string.match(raw, '^%d+:(%d+)$'))
    end
    if not end_us or end_us <= now_us or end_us > now_us + window_us + slip_us then
      return
    end
    if not count or count + units > limit then
      return
    end
    count = count + units
    local rest_us = end_us - now_us
    if count < 1000 then
      return limit - count, rest_us, end_us, raw, nil, count, '1', 0
    end
    return limit - count, rest_us, end_us, string.format('%s:%d', end_text, count), rest_us, nil, nil, 0
  end
  local end_us = now_us + window_us
  if ARGV[at + 2] == '1' then
    end_us = end_us - now_us % window_us
  end
  local text = digits(end_us) .. (units == 1 and '001' or string.format(units < 1000 and '%03d' or ':%d', units))
  return limit - units, end_us - now_us, end_us, text, end_us - now_us, nil, nil, 0
end

-- Gives back only into the window that was charged.
local function give(key, at, units, receipt)
  local status, _, _, _, _, end_us, count, end_text, span = look(key, at, 0)
  if not status or not end_text then
    return
  end
  local charged = type(span) == 'table' and string.format('%s:%.0f', end_text, span[2]) or end_text
  if charged == receipt then
    take(key, at, 0, end_us, math.max(0, count - units), end_text, span)
  end
end

local function reward(key, at, units)
  local status, _, _, _, _, end_us, count, end_text, span = look(key, at, 0)
  if status and end_text and count > 0 then
    take(key, at, 0, end_us, math.max(0, count - units), end_text, span)
  end
end

-- Where callers can reserve: when the newest window begins, as all that were before it are full. A window of another length than the
-- calendar's was opened by other numbers, so the calendar does not say when it begins.
local function due(key, at)
  local status, reply, _, _, _, end_us, _, end_text, span = look(key, at, 0)
  if not status then
    return nil, reply
  end
  if not end_text then
    return 0
  end
  local span_us = type(span) == 'table' and span[1] or span
  if ARGV[at + 2] ~= '2' or span_us ~= ARGV[at + 1] + 0 then
    return end_us - span_us
  end
  return end_us == ARGV[at + 6] + 0 and ARGV[at + 5] + 0 or 0
end

local function newest_of(key)
  return string.sub(fetch(key), 1, 16)
end
