--[[
Decides questions: looks at every check of a question, then takes.
KEYS   one state key a check, question after question
ARGV   1 not_after_us: a call that starts later takes nothing ("0": no bound)
       then for each question:
         mode    "all" (nothing is taken unless all allow), "every" (each check charges by itself), "look";
                 where other calls decide the rest of it also "none" ("all", and one of them has refused), "each" ("every",
                 and one of them may refuse)
         count   how many checks
         width   how many arguments each check has, these three included
         patience  longest wait in µs that is accepted; "0": none
         then for each check: cost, code of its strategy, role ("b" binds, "s" is a shadow policy, which keeps no other from
         charging; "bl", "sl": it takes a lease, and that only where nobody refuses, in every mode), arguments of its strategy,
         and as many empty ones as it has fewer than another
Reply  now_us, then for each question
         six integers a check, the checks in reverse order:
           status (0 allowed, 1 limited, 2 blocked, 3 too costly), limit, remaining, wait_us, reset_us, receipt
           Accepted with patience: wait_us is how long the caller waits. Limited: until a wait would be accepted.
         where there are several checks, what those that bind come to: limited (0 or 1), the smallest remaining, the longest
         wait and reset in whole seconds; the wait -1 where all allow, or one never will. The smallest limit is left to the
         caller, as a script does not know a policy's own.
       wait_us is -1 where waiting never helps. Past not_after_us: now_us alone.
TTL    each strategy's own.
Times in whole microseconds.

look(key, at, cost)  answers status, limit, remaining, wait_us, reset_us and up to four drafts; the numbers are those
                     that hold once the cost is taken, where it fits; the strategy's arguments begin at ARGV[at].
                     A strategy that can reserve drafts as the third, where it refuses, the reset_us that a take leaves.
                     A reply that it cannot read: nil and that reply. State that lies further ahead than the
                     strategy can have written (the server's clock stepped back, or the numbers have changed) is
                     moved to the furthest legal instant, and written so, also when the answer is a refusal.
take(key, at, cost, …drafts)  writes what look drafted and answers the receipt.
]]
-- With room for four checks: a table is copied each time that it grows.
-- stylua: ignore
local reply = {
  now_us, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil,
  nil, nil, nil, nil, nil, nil,
}
local refused, patience

-- Looks on the way down, takes on the way back: the drafts wait on the stack. What it shares with the loop below comes as
-- parameters and goes as results where it can: a variable that a function keeps costs the server more than one that it is given.
-- Answers how long the reply is, and of all that bind the smallest remaining, the longest wait (never is 2^53) and reset.
local function decide(index, at, width, mode, left, filled)
  --@dispatch ARGV[at + 1]
  --@include looked
  local role = ARGV[at + 2]
  local binds = role == 'b' or role == 'bl'
  if binds and status > 0 then
    refused = true
  end
  local least_remaining, longest_us, full_us = 2 ^ 53, -1, 0
  if left > 1 then
    filled, least_remaining, longest_us, full_us = decide(index + 1, at + width, width, mode, left - 1, filled)
  end
  --@include taken
  reply[filled + 1], reply[filled + 2], reply[filled + 3] = status, limit, remaining
  reply[filled + 4], reply[filled + 5], reply[filled + 6] = wait_us, reset_us, receipt
  if binds then
    if remaining < least_remaining then
      least_remaining = remaining
    end
    if reset_us > full_us then
      full_us = reset_us
    end
    if status > 0 then
      if wait_us < 0 then
        longest_us = 2 ^ 53
      elseif wait_us > longest_us then
        longest_us = wait_us
      end
    end
  end
  return filled + 6, least_remaining, longest_us, full_us
end

if ARGV[1] ~= '0' and now_us > ARGV[1] + 0 then
  return { now_us }
end
local at, first, filled = 2, 1, 1
repeat
  local mode, count, width = ARGV[at], ARGV[at + 1] + 0, ARGV[at + 2] + 0
  patience = ARGV[at + 3]
  refused, looking = mode == 'each' or mode == 'none', mode == 'look'
  local remaining, longest_us, full_us
  filled, remaining, longest_us, full_us = decide(first, at + 4, width, mode, count, filled)
  if count > 1 then
    if longest_us < 0 or longest_us == 2 ^ 53 then
      longest_us = -1000000
    end
    -- A reply cuts off fractions, as a summary does.
    reply[filled + 1], reply[filled + 2] = refused and 1 or 0, remaining
    reply[filled + 3], reply[filled + 4] = longest_us / 1000000, full_us / 1000000
    filled = filled + 4
  end
  at, first = at + 4 + count * width, first + count
until first > #KEYS
return reply
