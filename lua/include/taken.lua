-- Phase two for the check that was looked at.
local receipt = 0
if status == 0 and cost > 0 then
  if mode == 'all' and not refused or mode == 'every' or mode == 'each' then
    receipt = take(key, at + 3, cost, a, b, c, d) or 1
    if refused then
      -- How long the same request would wait at this level as this call leaves it.
      local _
      _, _, _, wait_us = look(key, at + 3, cost)
    end
  else
    local _
    _, limit, remaining, _, reset_us = look(key, at + 3, 0)
    if not looking then
      wait_us = 0
    end
  end
end
