--[[
A bucket of tokens, refilled continuously at a rate; may start empty or full.
State    string "USED:INSTANT:PARTS:FLOW", and ":BACK" where it matters, used and given back in 1/PARTS tokens. Behind that, where
         policies were chosen for calls, the charges at other rates, see include/mixed_rates.lua. Last of all "!CUT", where other numbers
         have charged, or cut off what was charged: until when the receipts from before would have held
ARGV     flow (parts drained each µs), parts of a token, capacity, starts empty ("1" or "0"), debt_us, "1" where the policy was chosen
Receipt  the state after the take, without charges at other rates
TTL      until all has drained, and until CUT; of a bucket that starts empty, twice the time to fill, a minute at least, and that of a debt
]]
--@include bucket
