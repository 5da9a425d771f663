--[[
Renews leases.
KEYS   one state key a lease
ARGV   for each lease: units, receipt, code of its strategy, number of arguments, arguments
Reply  for each lease: 2 held, 1 regained (it had ended, and there was room), 0 lost (there was none)
TTL    each strategy's own.

renew(key, at, units, receipt)  answers one of these; nil and the reply where the key holds something else.
A blocked key stays blocked, and the lease in the state that the block keeps is renewed. What no strategy wrote holds no lease.
]]
--@include block
--@include blocking
local at, reply = 1, {}
for nth, key in ipairs(KEYS) do
  --@dispatch ARGV[at + 2]
  local units, receipt = ARGV[at] + 0, ARGV[at + 1]
  local outcome, said = renew(key, at + 4, units, receipt)
  if not outcome then
    --@include refused
    local kind = redis.call('TYPE', key).ok
    local until_us = read_block(key, kind)
    if until_us then
      restore(key, kind)
      outcome = renew(key, at + 4, units, receipt)
      if until_us > now_us then
        write_block(key, until_us, now_us + left_us(key), redis.call('DUMP', key))
      end
    end
  end
  reply[nth] = outcome or 0
  at = at + 4 + ARGV[at + 3]
end
return reply
