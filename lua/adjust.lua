--[[
Corrects what was taken: gives back, by receipt or the newest units, charges more, or raises the key's next instant.
KEYS   one state key a change
ARGV   for each change: operation ("give", "reward", "charge", "raise"), amount (units; for "raise" µs), units charged, receipt,
       code of its strategy, number of arguments, arguments
Reply  how many changes met a key
TTL    each strategy's own.

give(key, at, units, receipt, charged)  gives back no more than the receipt's own charge still holds.
reward(key, at, units)                  gives back the newest units that still count, whoever took them.
charge(key, at, units)                  takes whatever the limit says; left out: look, then take.
raise(key, at, wait_us)                 the next call of cost 1 waits at least this long.
A blocked key is left as it is.
]]
--@include block
local at, done = 1, 0
for _, key in ipairs(KEYS) do
  --@dispatch ARGV[at + 4]
  local operation, units, first = ARGV[at], tonumber(ARGV[at + 1]), at + 6
  local kind = redis.call('TYPE', key).ok
  local until_us = read_block(key, kind)
  if until_us and until_us <= now_us then
    restore(key, kind)
    until_us, kind = nil, redis.call('TYPE', key).ok
  end
  if not until_us then
    if operation == 'give' then
      if give and kind ~= 'none' then
        give(key, first, units, ARGV[at + 3], tonumber(ARGV[at + 2]))
      end
    elseif operation == 'reward' then
      if reward and kind ~= 'none' then
        reward(key, first, units)
      end
    elseif operation == 'raise' then
      raise(key, first, units)
    else
      --@include charge
    end
    done = done + 1
  end
  at = first + ARGV[at + 5]
end
return done
