--[[
What most callers ask, and most keys allow, by a policy whose numbers are in the text: one unit of a key that has room. Stands before
decideOne.lua, which decides all else; so it needs few functions, each of which costs the server something in every call.
KEYS   the state key
ARGV   1 not_after_us
Reply  a text, which costs the server less than a list: "SECONDS.MICROSECONDS STATE", the instant and the state that is left. Past
       not_after_us: now_us alone, in a list.
]]
if ARGV[1] ~= '0' and now_us > ARGV[1] + 0 then
  return { now_us }
end
local state = admit(KEYS[1], 7)
if state then
  return clock[1] .. '.' .. clock[2] .. ' ' .. state
end
