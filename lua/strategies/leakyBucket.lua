--[[
A meter: the level drains at a constant rate, and a request that would overflow is refused.
State    string "LEVEL:INSTANT:PARTS:FLOW", and ":BACK" where it matters, level and given back in 1/PARTS units. Behind that, where
         policies were chosen for calls, the charges at other rates, see include/mixed_rates.lua. Last of all "!CUT", where other numbers
         have charged, or cut off what was charged: until when the receipts from before would have held
ARGV     flow (parts drained each µs), parts of a unit, capacity, "0", debt_us, "1" where the policy was chosen
Receipt  the state after the take, without charges at other rates
TTL      until all has drained, and until CUT
]]
--@include bucket
