-- The look of a strategy that counts in a window with an end. The drafts are the end, the count, whether the window runs (`running`),
-- and how long the windows of the chosen policy are that has opened it. A charge may make a running window last until `last_us`: the
-- drafts are then that end, `longer` in place of `running`, and `last_span_us`.
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

-- The end of a running window after a charge, and its `span_us`. Where the call's own windows are longer, or end by the clock, the window
-- goes on until one that begins now would end: a shorter one, opened by calls with other numbers, would forget the charge too early.
-- `usual_us`: how long windows without a `span_us` are; 0 where the policy was not chosen for this call.
local function lasting(end_us, span_us, own_end_us, window_us, usual_us, aligned)
  if end_us >= own_end_us or (usual_us == 0 and not span_us) then
    return end_us, span_us
  end
  if window_us > (span_us or usual_us) then
    return own_end_us, usual_us > 0 and window_us or nil
  end
  return aligned and own_end_us or end_us, span_us
end

-- The end of a window after a repair: one that ends after `latest_us` ends at `own_us`. A chosen policy does not shorten a window that
-- the limiter's own has opened, and no policy shortens one that a chosen policy has opened below its `span_us`.
local function repaired_end(end_us, latest_us, own_us, chosen, span_us)
  if giving or end_us <= latest_us or (chosen and not span_us) then
    return end_us
  end
  if not span_us then
    return own_us
  end
  return end_us <= now_us + span_us + slip_us and end_us or math.max(own_us, now_us + span_us)
end
