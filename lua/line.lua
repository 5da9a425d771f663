--[[
Lets callers stand in line for places in flight.
KEYS   one state key a line
ARGV   not_after_us: after this instant callers are put in line but get no place, as nobody may be waiting for the answer ("0": no bound)
       then for each line: code of its strategy, number of callers, number of arguments, arguments, then of each caller in their order:
       call (tells it from every other), units, priority, and for how many µs it has waited; -1: it leaves; -2 - N: it has waited
       for N µs, and gets no place by this call
Reply  now_us, then for each line a list: µs until its block ends or 0, remaining, wait_us, reset_us, then of each caller 2 (it holds its place
       from now on), 1 (it waits), 0 (it is not in line: it has left, or the line is full)
TTL    each strategy's own.

line(key, at, first, count)  answers remaining, wait_us, reset_us and the outcomes; the callers begin at ARGV[first].
                             Of a reply that it cannot read: nil and that reply.
While a key is blocked, no caller gets a place or a turn.
]]
--@include block
local late = ARGV[1] ~= '0' and now_us > ARGV[1] + 0
local at, reply = 2, { now_us }
for nth, key in ipairs(KEYS) do
  --@dispatch ARGV[at]
  local count, first = ARGV[at + 1] + 0, at + 3
  local callers_at = first + ARGV[at + 2]
  if late then
    for i = callers_at + 3, callers_at + 4 * count - 1, 4 do
      if ARGV[i] + 0 >= 0 then
        ARGV[i] = -2 - ARGV[i]
      end
    end
  end
  local until_us = 0
  local remaining, wait_us, reset_us, outcomes = line(key, first, callers_at, count)
  if not remaining then
    local kind = redis.call('TYPE', key).ok
    until_us = read_block(key, kind)
    if not until_us then
      local said = wait_us
      --@include refused
      error('SLUICE a key holds what no strategy wrote')
    end
    if until_us > now_us then
      remaining, wait_us, reset_us, outcomes = 0, until_us - now_us, until_us - now_us, {}
      for i = 1, count do
        outcomes[i] = 0
      end
    else
      restore(key, kind)
      until_us = now_us
      remaining, wait_us, reset_us, outcomes = line(key, first, callers_at, count)
    end
  end
  reply[nth + 1] = { math.max(0, until_us - now_us), remaining, wait_us, reset_us, unpack(outcomes) }
  at = callers_at + 4 * count
end
return reply
