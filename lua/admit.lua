--[[
What most callers ask, and most keys allow, by a policy whose numbers are in the text: one unit of a key that has room. Stands before
decideOne.lua, which decides all else; so it needs few functions, each of which costs the server something in every call.
KEYS   the state key
ARGV   1 not_after_us
Reply  now_us, remaining, reset_us, receipt. Past not_after_us: now_us alone.

admit(key, at)  answers remaining, reset_us, receipt, and what is to be written: a text and its life; where its life goes on, a text,
                nil and a count, as keep_more takes them. Nothing: the key has no room, or its state is not the usual one.
]]
if ARGV[1] ~= '0' and now_us > ARGV[1] + 0 then
  return { now_us }
end
local remaining, reset_us, receipt, text, life_us, count = admit(KEYS[1], 7)
if remaining then
  if life_us then
    save(KEYS[1], text, life_us)
  else
    keep_more(KEYS[1], 1, text, count)
  end
  return { now_us, remaining, reset_us, receipt }
end
