--[[
Deletes consumers that are long gone from the group, and gives back entries that somebody has taken out of it: those would never be
read again, and would count in the bound for ever.
KEYS   entries (stream), number (string)
ARGV   1 idle_ms: what counts as left for so long can be taken at once
       2 name_ms: a consumer without entries is deleted after it was idle for so long
Reply  how many entries were given back
TTL    none, as in offer.lua.
]]
--@include group
--@include holder
--@include progress
local entries, number, idle_ms, name_ms = KEYS[1], KEYS[2], ARGV[1], ARGV[2] + 0
-- Claims nothing: fails where the user may not give entries back, as leave.lua does. Then none is taken, as a stop would use up its attempt.
of_group('XCLAIM', entries, 'g', 'retry', 0, '0-0', 'JUSTID')
for _, consumer in ipairs(of_group('XINFO', 'CONSUMERS', entries, 'g')) do
  local facts = {}
  for i = 1, #consumer, 2 do
    facts[consumer[i]] = consumer[i + 1]
  end
  if facts.pending == 0 and facts.idle > name_ms and facts.name ~= 'retry' then
    redis.call('XGROUP', 'DELCONSUMER', entries, 'g', facts.name)
  end
end

local handed_out, last_id = progress_of(entries)
local unread = (redis.call('GET', number) or 0) - number_of(last_id)
if redis.call('XLEN', entries) - handed_out - unread <= 0 then
  return 0
end
local from, given_back = '-', 0
repeat
  local page = redis.call('XRANGE', entries, from, last_id, 'COUNT', 100)
  for _, entry in ipairs(page) do
    local id = entry[1]
    if not holder_of(entries, id) then
      local how = { 'IDLE', idle_ms, 'RETRYCOUNT', 0, 'FORCE', 'JUSTID' }
      redis.call('XCLAIM', entries, 'g', 'retry', 0, id, unpack(how))
      given_back = given_back + 1
    end
    from = '(' .. id
  end
until #page < 100
return given_back
