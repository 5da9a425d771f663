--[[
Decides one check: what decide.lua answers to one question of one check, without what several of them need.
KEYS, ARGV and reply are the same.
]]
if ARGV[1] ~= '0' and now_us > ARGV[1] + 0 then
  return { now_us }
end
local index, at, mode, patience, refused = 1, 6, ARGV[2], ARGV[5], ARGV[2] == 'each' or ARGV[2] == 'none'
looking = mode == 'look'
--@dispatch ARGV[at + 1]
--@include looked
--@include taken
return { now_us, status, limit, remaining, wait_us, reset_us, receipt }
