--[[
A bucket of tokens, refilled continuously at a rate; may start empty or full.
State    string "USED:INSTANT:PARTS:BACK", used and given back in 1/PARTS tokens
ARGV     flow (parts drained each µs), parts of a token, capacity, starts empty ("1" or "0"), debt_us
Receipt  the state after the take
TTL      until all has drained; started empty: twice the time to fill, a minute at least, and a debt's
]]
--@include bucket
