--[[
Manages one key by hand: blocks it, lifts the block, forgets it, sets its count, or shows it.
KEYS   the state key, and where the policy counts blocks the key at which they are counted; for "reset" and "set" last the key that
       says since when it is counted anew, except while a cluster moves the slot
ARGV   operation ("block", "unblock", "reset", "set", "inspect"), µs of a block or units to set, "later" (the later of two
       ends holds) or "", code of the strategy, number of arguments, arguments
Reply  inspect: now_us, status, limit, remaining, wait_us, reset_us (status and wait_us are those of a check for one unit, the others
       those of the count), µs until the block ends or 0, how many blocks count, then note and instant of each entry
       otherwise 1
TTL    a block lives until the later of its own end and the kept state's

unused(key, at)  writes the state of a key that has used nothing; left out: such a key has no state.
entries(key)  answers note, instant, note, instant … of what a strategy remembers; left out: nothing.
]]
--@include block
--@include blocking
--@dispatch ARGV[4]
local key, operation = KEYS[1], ARGV[1]

local anew_key = (operation == 'reset' or operation == 'set') and #KEYS > 1 and KEYS[#KEYS] or nil
if anew_key and not string.find(anew_key, '}%r:', 1, true) then
  anew_key = nil
end

-- Notes that the key is counted anew from now on, so that earlier charges are not given back to the new count. The note lives until the
-- old state, a state that was set, and an earlier note would all have ended.
local function count_anew(gone_us)
  local life_us = (gone_us or now_us) - now_us
  if operation == 'set' and redis.call('TYPE', key).ok ~= 'none' then
    life_us = math.max(life_us, left_us(key))
  end
  if redis.call('TYPE', anew_key).ok ~= 'none' then
    life_us = math.max(life_us, left_us(anew_key))
  end
  if life_us > 0 then
    save(anew_key, digits(now_us), life_us)
  end
end

local kind = redis.call('TYPE', key).ok
local until_us, gone_us, dump, banned = read_block(key, kind, true)
if not until_us then
  until_us = 0
  if kind ~= 'none' then
    gone_us, dump = now_us + left_us(key), operation ~= 'reset' and redis.call('DUMP', key)
  end
end
if operation == 'reset' then
  if anew_key then
    count_anew(gone_us)
  end
  redis.call('DEL', unpack(KEYS, 1, anew_key and #KEYS - 1 or #KEYS))
  return 1
end
if operation == 'block' then
  local end_us = now_us + ARGV[2]
  local stays = ARGV[3] == 'later' and until_us >= end_us
  write_block(key, stays and until_us or end_us, gone_us, dump, stays and banned)
  return 1
end
if until_us > 0 then
  restore(key, kind)
end
if operation == 'unblock' then
  if KEYS[2] then
    redis.call('DEL', KEYS[2])
  end
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
  if anew_key then
    count_anew(gone_us)
  end
  if until_us > now_us then
    local left = redis.call('DUMP', key)
    write_block(key, until_us, left and now_us + left_us(key), left, banned)
  end
  return 1
end

local known, limit, remaining, _, reset_us = look(key, 6, 0)
if not known then
  local said = limit
  --@include refused
  error('SLUICE a key holds what no strategy wrote')
end
looking = true
local status, _, _, wait_us = look(key, 6, 1)
local rest_us, times = math.max(0, until_us - now_us), 0
if rest_us > 0 then
  status, wait_us = banned and 6 or 2, rest_us
end
local counted, counted_us = string.match(KEYS[2] and redis.call('GET', KEYS[2]) or '', '^(%d+):(%d+)$')
if counted and counted_us + 0 > now_us then
  times = counted + 0
end
local reply = { now_us, status, limit, remaining, wait_us, reset_us, rest_us, times }
for _, value in ipairs(entries and entries(key) or {}) do
  reply[#reply + 1] = value
end
if until_us > now_us then
  local left = redis.call('DUMP', key)
  if left ~= dump then
    -- The look has repaired the state.
    gone_us, dump = now_us + left_us(key), left
  end
  write_block(key, until_us, gone_us, dump, banned)
end
return reply
