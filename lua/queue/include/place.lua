--@include measure
-- For how many µs to send the next refused caller away: until one gap between finishes after the instant that the refused caller before
-- it was given, at most a whole queue from now. That instant is written, where there is memory left for it.
local function next_place_us(measure, limit, waits)
  local gaps, gaps_us, past_gaps, past_gaps_us, last_us, _, work_us, since_us, told_us = unpack(measure_of(measure))
  gaps, gaps_us = gaps + past_gaps, gaps_us + past_gaps_us
  local open_us = waits and math.max(0, now_us - math.max(last_us, since_us)) or 0
  local gap_us = gaps > 0 and (gaps_us + open_us) / gaps or math.max(work_us, open_us, 1000000)
  told_us = math.min(math.max(told_us, now_us) + gap_us, now_us + limit * gap_us)
  redis.pcall('HSET', measure, 'v', string.format('%.0f', told_us))
  return math.ceil(told_us - now_us)
end
