-- Measures a finish. A gap counts where work waited since the one before; work_us is a handler's time, or nothing.
local function measure_finish(measure, waits, work_us)
  local kept = redis.call('HMGET', measure, 'n0', 'b0', 'last', 'u', 'work')
  local gaps, gaps_us, mean_us = tonumber(kept[1] or 0), tonumber(kept[2] or 0), tonumber(kept[5] or nil)
  if kept[4] == '1' then
    gaps, gaps_us = gaps + 1, gaps_us + math.max(0, now_us - kept[3])
    if gaps == 32 then
      redis.call('HSET', measure, 'n1', gaps, 'b1', string.format('%.0f', gaps_us))
      gaps, gaps_us = 0, 0
    end
  end
  if work_us then
    mean_us = mean_us and mean_us + (work_us - mean_us) / 16 or work_us
    redis.call('HSET', measure, 'work', string.format('%.0f', mean_us))
  end
  local last, sum = string.format('%.0f', now_us), string.format('%.0f', gaps_us)
  redis.call('HSET', measure, 'n0', gaps, 'b0', sum, 'last', last, 'u', waits and 1 or 0)
end
