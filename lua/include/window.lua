-- The look of a strategy that counts a window with an end: the drafts are end, count and whether the window runs.
local function look_window(limit, end_us, count, cost, running)
  local total = count + cost
  local reset_us = end_us - now_us
  if total <= limit then
    return 0, 0, limit - total, 0, total > 0 and reset_us or 0, end_us, total, running
  end
  local left, rest_us = math.max(0, limit - count), count > 0 and reset_us or 0
  if cost == 0 then
    return 0, 0, left, 0, rest_us, end_us, total, running
  end
  if cost > limit then
    return 3, 0, left, -1, rest_us, end_us, total, running
  end
  return 1, 0, left, reset_us, rest_us, end_us, total, running
end
