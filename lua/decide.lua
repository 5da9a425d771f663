--[[
Decides questions: looks at every check of a question, then takes.
KEYS   one state key a check, question after question
ARGV   1 not_after_us: a call that starts later takes nothing ("0": no bound)
       then for each question:
         mode    "all" (nothing is taken unless all allow), "every" (each check charges by itself), "look"
         roles   one letter a check: "b" binds, "s" is a shadow policy, which keeps no other from charging
         then for each check: cost, code of its strategy, number of arguments, arguments
Reply  now_us, then six integers a check, the checks of a question in reverse order:
         status (0 allowed, 1 limited, 2 blocked, 3 too costly), limit, remaining, wait_us, reset_us, receipt
       wait_us is -1 where waiting never helps. Past not_after_us: now_us alone.
TTL    each strategy's own.
Times in whole microseconds.

look(key, at, cost)  answers status, limit, remaining, wait_us, reset_us and up to four drafts; the numbers are those
                     that hold once the cost is taken, where it fits; the strategy's arguments begin at ARGV[at].
                     A reply that it cannot read: nil and that reply. State that lies further ahead than the
                     strategy can have written (the server's clock stepped back, or the numbers have changed) is
                     moved to the furthest legal instant, and written so, also when the answer is a refusal.
take(key, at, cost, …drafts)  writes what look drafted and answers the receipt.
]]
local reply, refused

-- Looks on the way down, takes on the way back: the drafts wait on the stack. What it shares with the loop below comes as
-- parameters where it can: a variable that a function keeps costs the server more than one that it is given.
local function decide(index, at, mode, roles, nth)
  --@dispatch ARGV[at + 1]
  --@include looked
  if status > 0 and string.byte(roles, nth) == 98 then
    refused = true
  end
  local next_at = at + 3 + ARGV[at + 2]
  if nth < #roles then
    next_at = decide(index + 1, next_at, mode, roles, nth + 1)
  end
  --@include taken
  if not reply then
    reply = { now_us, status, limit, remaining, wait_us, reset_us, receipt }
  else
    local n = #reply
    reply[n + 1], reply[n + 2], reply[n + 3] = status, limit, remaining
    reply[n + 4], reply[n + 5], reply[n + 6] = wait_us, reset_us, receipt
  end
  return next_at
end

if ARGV[1] ~= '0' and now_us > ARGV[1] + 0 then
  return { now_us }
end
local at, first = 2, 1
repeat
  local mode, roles = ARGV[at], ARGV[at + 1]
  refused, looking = false, mode == 'look'
  at = decide(first, at + 2, mode, roles, 1)
  first = first + #roles
until first > #KEYS
return reply
