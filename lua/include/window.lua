-- When a window that starts now ends: a whole window on, or at the next step of the clock.
local function window_end(window_us, aligned)
  if aligned == '1' then
    return now_us - now_us % window_us + window_us
  end
  return now_us + window_us
end

-- The look of a strategy that counts a window with an end: the drafts are end, count and whether the window runs.
local function look_window(limit, end_us, count, cost, running)
  local total = count + cost
  local reset_us = end_us - now_us
  if total <= limit or cost == 0 then
    return 0, 0, math.max(0, limit - total), 0, total > 0 and reset_us or 0, end_us, total, running
  end
  if cost > limit then
    return 3, 0, math.max(0, limit - count), -1, count > 0 and reset_us or 0, end_us, total, running
  end
  return 1, 0, math.max(0, limit - count), reset_us, count > 0 and reset_us or 0, end_us, total, running
end
