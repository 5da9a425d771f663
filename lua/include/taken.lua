-- Phase two for the check that was looked at.
local receipt = 0
if status == 0 and cost > 0 then
  local takes = mode == 'all' or mode == 'every' or mode == 'each'
  if refused and takes then
    -- A request that is refused is not in flight, and takes no lease.
    takes = mode ~= 'all' and ARGV[at + 2] ~= 'bl' and ARGV[at + 2] ~= 'sl'
  end
  if takes then
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
  --@refuses
elseif refuse and status == 1 and not looking then
  refuse(key, at + 3, cost, a)
  --@end
  --@blocks
elseif (status == 1 or status == 2) and cost > 0 and not looking and #ARGV[at + 2] > 2 then
  --@include block_for
  --@end
end
