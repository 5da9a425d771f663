-- The look of a strategy that counts a window with an end: the drafts are end, count, whether the window runs, and for how long a
-- policy that was chosen for a call has opened it. A charge makes a window that runs last until `last_us`, and `running` is then `longer`.
local function look_window(limit, end_us, count, cost, running, span_us, last_us, last_span_us, longer)
  local total = count + cost
  local reset_us, charged_us = end_us - now_us, end_us
  if cost > 0 and last_us and last_us ~= end_us then
    charged_us, span_us, running = last_us, last_span_us, longer
  end
  if total <= limit then
    return 0, 0, limit - total, 0, total > 0 and charged_us - now_us or 0, charged_us, total, running, span_us
  end
  local left, rest_us = math.max(0, limit - count), count > 0 and reset_us or 0
  if cost == 0 then
    return 0, 0, left, 0, rest_us, end_us, total, running, span_us
  end
  if cost > limit then
    return 3, 0, left, -1, rest_us, charged_us, total, running, span_us
  end
  return 1, 0, left, reset_us, rest_us, charged_us, total, running, span_us
end

-- A running window after a charge. Where the call's own windows are longer, or end by the clock, it goes on until one that begins now
-- would end: with the shorter one, which calls with other numbers have opened, the charge would be forgotten too early. `usual_us`: how
-- long windows are that say nothing of it; 0 where the policy was not chosen for this call.
local function lasting(end_us, span_us, own_end_us, window_us, usual_us, aligned)
  if end_us >= own_end_us or (usual_us == 0 and not span_us) then
    return end_us, span_us
  end
  if window_us > (span_us or usual_us) then
    return own_end_us, usual_us > 0 and window_us or nil
  end
  return aligned and own_end_us or end_us, span_us
end

-- The end of a window that is repaired: none ends later than the numbers let it, at `own_us` and a slip. Those that were chosen for
-- calls do not shorten what others have opened, and nobody shortens what they have opened, for `span_us`.
local function repaired_end(end_us, latest_us, own_us, chosen, span_us)
  if giving or end_us <= latest_us or (chosen and not span_us) then
    return end_us
  end
  if not span_us then
    return own_us
  end
  return end_us <= now_us + span_us + slip_us and end_us or math.max(own_us, now_us + span_us)
end
