-- What was measured, as numbers; 0 where there is nothing yet.
local function measure_of(measure)
  local kept = redis.call('HMGET', measure, 'n0', 'b0', 'n1', 'b1', 'last', 'u', 'work', 'since', 'v')
  for i = 1, 9 do
    kept[i] = tonumber(kept[i] or 0)
  end
  return kept
end
