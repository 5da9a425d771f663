--[[
What most callers ask, and most keys allow, by a policy whose numbers are in the text: one unit of a key that has room. Stands before
decideOne.lua, which decides all else; so it needs few functions, each of which costs the server something in every call.
KEYS   the state key
ARGV   1 not_after_us
Reply  now_us, remaining, reset_us, receipt. Past not_after_us: now_us alone.
]]
if ARGV[1] ~= '0' and now_us > ARGV[1] + 0 then
  return { now_us }
end
local remaining, reset_us, receipt = admit(KEYS[1], 7)
if remaining then
  return { now_us, remaining, reset_us, receipt }
end
