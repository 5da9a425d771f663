--[[
Corrects what was taken: gives back by receipt, charges more, or raises the key's next instant.
KEYS   one state key a change
ARGV   for each change: operation ("give", "charge", "raise"), amount (units; for "raise" µs), units charged, receipt,
       code of its strategy, number of arguments, arguments
Reply  how many changes met a key
TTL    each strategy's own.

give(key, at, units, receipt, charged)  gives back no more than the receipt's own charge still holds.
charge(key, at, units)                  takes whatever the limit says; left out: look, then take.
raise(key, at, wait_us)                 the next call of cost 1 waits at least this long.
A blocked key is left as it is.
]]
--@include block
local at, done = 1, 0
for _, key in ipairs(KEYS) do
  --@dispatch ARGV[at + 4]
  local operation, amount = ARGV[at], tonumber(ARGV[at + 1])
  local kind = redis.call('TYPE', key).ok
  local until_us = read_block(key, kind)
  if until_us and until_us <= now_us then
    restore(key, kind)
    until_us, kind = nil, redis.call('TYPE', key).ok
  end
  if not until_us then
    if operation == 'give' then
      if give and kind ~= 'none' then
        give(key, at + 6, amount, ARGV[at + 3], tonumber(ARGV[at + 2]))
      end
    elseif operation == 'raise' then
      raise(key, at + 6, amount)
    elseif charge then
      charge(key, at + 6, amount)
    else
      local status, _, _, _, _, a, b, c, d = look(key, at + 6, amount)
      if status then
        take(key, at + 6, amount, a, b, c, d)
      end
    end
    done = done + 1
  end
  at = at + 6 + ARGV[at + 5]
end
return done
