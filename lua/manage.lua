--[[
Manages one key by hand: blocks it, lifts the block, forgets it, sets its count, or shows it.
KEYS   the state key
ARGV   operation ("block", "unblock", "reset", "set", "inspect"), µs of a block or units to set, "later" (the later of two
       ends holds) or "", code of the strategy, number of arguments, arguments
Reply  inspect: now_us, limit, remaining, wait_us, reset_us, µs until the block ends or 0, then note and instant of each entry
       otherwise 1
TTL    a block lives until the later of its own end and the kept state's

unused(key, at)  writes the state of a key that has used nothing; left out: there is none.
entries(key)  answers note, instant, note, instant … of what a strategy remembers; left out: nothing.
]]
--@include block
--@include blocking
--@dispatch ARGV[4]
local key, operation = KEYS[1], ARGV[1]

if operation == 'reset' then
  redis.call('DEL', key)
  return 1
end

local kind = redis.call('TYPE', key).ok
local until_us, gone_us, dump = read_block(key, kind, true)
if not until_us then
  until_us = 0
  if kind ~= 'none' then
    gone_us, dump = now_us + left_us(key), redis.call('DUMP', key)
  end
end
if operation == 'block' then
  local end_us = now_us + ARGV[2]
  if ARGV[3] == 'later' then
    end_us = math.max(end_us, until_us)
  end
  write_block(key, end_us, gone_us, dump)
  return 1
end
if until_us > 0 then
  restore(key, kind)
end
if operation == 'unblock' then
  return 1
end

if operation == 'set' then
  local units, first = ARGV[2] + 0, 6
  redis.call('DEL', key)
  if unused then
    unused(key, first)
  end
  if units > 0 then
    --@include charge
  end
  if until_us > now_us then
    local left = redis.call('DUMP', key)
    write_block(key, until_us, left and now_us + left_us(key), left)
  end
  return 1
end

local status, limit, remaining, wait_us, reset_us = look(key, 6, 0)
if not status then
  error('SLUICE a key holds what no strategy wrote')
end
local reply = { now_us, limit, remaining, wait_us, reset_us, math.max(0, until_us - now_us) }
for _, value in ipairs(entries and entries(key) or {}) do
  reply[#reply + 1] = value
end
if until_us > now_us then
  local left = redis.call('DUMP', key)
  if left ~= dump then
    -- The look has repaired it.
    gone_us, dump = now_us + left_us(key), left
  end
  write_block(key, until_us, gone_us, dump)
end
return reply
