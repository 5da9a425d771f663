--[[
A meter: the level drains at a constant rate, and a request that would overflow is refused.
State    string "LEVEL:INSTANT:PARTS:BACK", level and given back in 1/PARTS units
ARGV     flow (parts drained each µs), parts of a unit, capacity, "0", debt_us
Receipt  the state after the take
TTL      until all has drained
]]
--@include bucket
