--[[
Decides the most common case, for a policy whose numbers are in the script's text: one unit of a key that has room. Stands before
decideOne.lua, which decides every other case. The common case so needs few functions, each of which costs the server something in every
call. When the script is joined, the body of `admit` replaces its call, inside a `repeat` that each `return` leaves: so `admit` must have
no loop, and must not use the names of the variables below that receive its answers.
KEYS   the state key
ARGV   1 not_after_us
Reply  a text, which costs the server less than a list: "SECONDS.MICROSECONDS STATE", the instant and the state that is left, or
       "SECONDS.MICROSECONDS+STATE", the instant and the state as it was, before this unit was added. Past not_after_us: now_us
       alone, in a list.

admit(key, at, units)  answers remaining, reset_us, receipt, and what to write: a text and its life. Or, where the state is an integer and
                       the key keeps its life, the text of the state as it was, nil, the number in it that changes, as it is then, and
                       the integer to add for one unit. Answers nothing where the key has no room, or its state is not of the common form.
                       A strategy that can admit several units at once, as if each were a question of its own, also answers, last, by
                       how much the reset and the receipt grow from one unit to the next. The others ignore `units`.
]]
if ARGV[1] ~= '0' and now_us > ARGV[1] + 0 then
  return { now_us }
end
local _, _, _, left_text, left_life_us, _, added = admit(KEYS[1], 7, 1)
if left_text then
  if left_life_us then
    save(KEYS[1], left_text, left_life_us)
    return clock[1] .. '.' .. clock[2] .. ' ' .. left_text
  end
  redis.call('INCRBY', KEYS[1], added)
  return clock[1] .. '.' .. clock[2] .. '+' .. left_text
end
