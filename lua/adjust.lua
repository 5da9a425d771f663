--[[
Corrects what was taken: gives back, by receipt or the newest units, charges more, or raises the key's next instant.
KEYS   one state key for each change; behind them the keys that say since when a state key is counted anew
ARGV   for each change: operation ("give", "reward", "charge", "raise"), amount (units; for "raise" µs), units charged, receipt,
       the instant of the charge, index in KEYS of the key that says since when the state key is counted anew ("0": none), code of its
       strategy, number of arguments, arguments
Reply  how many changes met no block
TTL    each strategy's own.

give(key, at, units, receipt, charged)  gives back no more than the receipt's own charge still holds.
reward(key, at, units)                  gives back the newest units that still count, whoever took them.
charge(key, at, units)                  takes whatever the limit says; left out: look, then take.
raise(key, at, wait_us)                 the next call of cost 1 waits at least this long.
A blocked key is left as it is. Nothing is given back to a key that was reset or set since the charge.
`give` works on the state as it is stored, and repairs nothing: see include/look.lua.
]]
--@include block
-- Whether a key was reset, or set, since it was charged. The same instant means yes: a call takes the server longer than a step of its
-- clock, so a charge after a reset has a later instant.
local function is_counted_anew(place, charged_us)
  local since_us = place ~= '0' and redis.call('GET', KEYS[place + 0])
  return since_us and charged_us + 0 <= since_us + 0
end

local at, nth, done = 1, 0, 0
while ARGV[at] do
  nth = nth + 1
  local key = KEYS[nth]
  --@dispatch ARGV[at + 6]
  local operation, units, first = ARGV[at], tonumber(ARGV[at + 1]), at + 8
  local kind = redis.call('TYPE', key).ok
  local until_us = read_block(key, kind)
  if until_us and until_us <= now_us then
    restore(key, kind)
    until_us, kind = nil, redis.call('TYPE', key).ok
  end
  if not until_us then
    if operation == 'give' then
      if give and kind ~= 'none' and not is_counted_anew(ARGV[at + 5], ARGV[at + 4]) then
        giving = true
        give(key, first, units, ARGV[at + 3], tonumber(ARGV[at + 2]))
        giving = false
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
  at = first + ARGV[at + 7]
end
return done
