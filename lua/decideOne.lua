--[[
Decides one question of one check: what decide.lua answers to it, without what several of them need.
KEYS   the state key, and where the policy counts blocks the key at which they are counted
ARGV   1 not_after_us   2 mode   3 patience   then of the check: cost, code of its strategy, role, arguments of its strategy
Reply  now_us, status, limit, remaining, wait_us, reset_us, receipt (0: none). Past not_after_us: now_us alone.
TTL    the strategy's own.
]]
if ARGV[1] ~= '0' and now_us > ARGV[1] + 0 then
  return { now_us }
end
local index, at, mode, patience, refused = 1, 4, ARGV[2], ARGV[3], ARGV[2] == 'each' or ARGV[2] == 'none'
looking = mode == 'look'
--@dispatch ARGV[at + 1]
--@include looked
--@include taken
return { now_us, status, limit, remaining, wait_us, reset_us, receipt }
