-- Phase one for the check at `index`, whose arguments begin at ARGV[at].
-- `+ 0` makes a number of an argument: tonumber would convert the text twice.
local key, cost = KEYS[index], ARGV[at] + 0
local status, limit, remaining, wait_us, reset_us, a, b, c, d = look(key, at + 3, cost)
if not status then
  -- The key holds no state of its strategy: it is blocked, or a block has ended that keeps the state.
  --@include block
  local kind = redis.call('TYPE', key).ok
  local until_us, _, _, banned = read_block(key, kind)
  if not until_us then
    local said = limit
    --@include refused
    error('SLUICE a key holds what no strategy wrote')
  end
  if until_us > now_us then
    status, limit, remaining, wait_us, reset_us = banned and 6 or 2, 0, 0, until_us - now_us, until_us - now_us
  else
    restore(key, kind)
    status, limit, remaining, wait_us, reset_us, a, b, c, d = look(key, at + 3, cost)
  end
end
if status == 1 and patience ~= '0' then
  if wait_us <= patience + 0 then
    status, remaining, reset_us = 0, 0, c
  else
    wait_us = wait_us - patience
  end
end
