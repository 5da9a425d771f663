--[[
Gives back what a consumer holds, and deletes the consumer from the group once it holds nothing.
KEYS   entries (stream)
ARGV   1 me: the consumer
       2 idle_ms: what counts as left for so long can be taken at once
       3 running: how many ids follow of entries that stay this consumer's
         then those, and behind them the ids of entries whose attempt has not begun
Reply  how many were given back
TTL    none, as in offer.lua.
]]
--@include group
local entries, me, idle_ms, running = KEYS[1], ARGV[1], ARGV[2], ARGV[3] + 0
local stays, unused = {}, {}
for i = 4, #ARGV do
  if i < 4 + running then
    stays[ARGV[i]] = true
  else
    unused[ARGV[i]] = true
  end
end

local from, given_back, is_empty = '-', 0, true
repeat
  local page = of_group('XPENDING', entries, 'g', from, '+', 1000, me)
  for _, pending in ipairs(page) do
    local id, count = pending[1], pending[4]
    if stays[id] then
      is_empty = false
    else
      local used = unused[id] and count - 1 or count
      redis.call('XCLAIM', entries, 'g', 'retry', 0, id, 'IDLE', idle_ms, 'RETRYCOUNT', used, 'JUSTID')
      given_back = given_back + 1
    end
    from = '(' .. id
  end
until #page < 1000
if is_empty then
  -- If it held entries, the group would drop them with it, and nobody would ever read them.
  of_group('XGROUP', 'DELCONSUMER', entries, 'g', me)
end
return given_back
