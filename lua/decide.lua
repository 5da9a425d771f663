--[[
Decides questions one after another, at one instant: looks at every check of a question, then takes.
KEYS   one state key a check, question after question; behind all of them those at which blocks are counted
ARGV   1 not_after_us: a question that is decided later takes nothing ("0": no bound)
       2 the questions that have longer, in their order, as runs "COUNT:MS": COUNT questions have MS ms longer ("": none)
       3 where the runs begin, behind the forms   4 where the own arguments begin, behind the runs
       then the forms: what many questions have in common
         mode    "all" (nothing is taken unless all allow), "every" (each check charges by itself), "look", "some" (as many steps
                 of the cost are taken as fit, at least one);
                 where other calls decide the rest of it also "none" ("all", and one of them has refused), "each" ("every",
                 and one of them may refuse)
         count   how many checks
         width   how many arguments each check has, these three included
         patience  longest wait in µs that is accepted; "0": none; of "some" how many steps each cost is
         owns    how many arguments differ from question to question
         then for each check: cost, code of its strategy, role ("b" binds, "s" is a shadow policy, which keeps no other from
         charging; "bl", "sl": it takes a lease, and that only where nobody refuses, in every mode; a policy that blocks says
         behind it how, see include/block_for.lua), arguments of its strategy, filled up to `width` with empty ones
         then for each own argument its index in ARGV
       then the runs: where a form begins, and how many questions in a row have it
       then the own arguments, question after question
Reply  now_us, how many µs the script took (0: not measured), rows, then texts
       rows are packed, for each question one row for each check, in reverse order:
         a byte: status (0 allowed, 1 limited, 2 blocked, 3 too costly, 6 banned), and 8 where a limit follows
         doubles: remaining, wait_us, reset_us, receipt (0: none, -1: the next text), and the limit, where it is not the policy's;
         of "some" also how many units were taken
         Accepted with patience: wait_us is how long the caller waits. Limited: until a wait would be accepted.
       where there are several checks, a summary of those that bind: a byte, limited (0 or 1), and doubles, the smallest remaining,
       the longest wait and reset in seconds; the wait -1 where all allow, or one never will. The smallest limit is left to the
       caller, as a script does not know a policy's own.
       instead of all that a byte: 4 the question came too late, 5 it failed, and why is the next text.
       wait_us is -1 where waiting never helps.
TTL    each strategy's own.
Times in whole microseconds.

look(key, at, cost)  answers status, limit, remaining, wait_us, reset_us and up to four drafts; the numbers are those
                     that hold once the cost is taken, where it fits; the strategy's arguments begin at ARGV[at].
                     Where it refuses, a strategy that can reserve answers as the third draft the reset_us that a take would leave.
                     A reply that it cannot read: nil and that reply. State that lies further ahead than the
                     strategy can have written (the server's clock stepped back, or the numbers have changed) is
                     moved to the furthest legal instant, and written so, also when the answer is a refusal.
take(key, at, cost, …drafts)  writes what look drafted and answers the receipt.
]]
local pack = struct.pack
local rows, filled, reply, texts = {}, 0, { now_us, 0, '' }, 3
local refused, patience
--@upto
local steps, most
--@end

-- Looks at the checks on the way down and takes on the way back: the drafts wait on the stack. Where possible it exchanges values with
-- the loop below as parameters and results: an upvalue costs the server more than a parameter.
-- Answers the smallest remaining, the longest wait (2^53: never) and the longest reset of all checks that bind.
local function decide(index, at, width, mode, left)
  --@dispatch ARGV[at + 1]
  --@include looked
  local role = ARGV[at + 2]
  local binds = role == 'b' or role == 'bl'
  --@blocks
  binds = string.sub(role, 1, 1) == 'b'
  --@end
  if binds and status > 0 then
    refused = true
    --@upto
    if steps then
      -- A refusal may answer the remaining of any of several windows, a look for 0 that of the window that has least.
      local _, fits = nil, 0
      if cost > 0 and (status == 1 or status == 3) then
        _, _, fits = look(key, at + 3, 0)
        fits = math.floor(fits / (cost / steps))
      end
      most = math.min(most, fits)
    end
    --@end
  end
  local least_remaining, longest_us, full_us = 2 ^ 53, -1, 0
  if left > 1 then
    least_remaining, longest_us, full_us = decide(index + 1, at + width, width, mode, left - 1)
  end
  --@upto
  if steps then
    refused = most == 0
    -- Where no step fits, the wait is the time until one does.
    local units = cost / steps * math.max(1, most)
    if units ~= cost and status ~= 2 and status ~= 6 then
      cost = units
      status, limit, remaining, wait_us, reset_us, a, b, c, d = look(key, at + 3, cost)
    end
  end
  --@end
  --@include taken
  if type(receipt) == 'string' then
    texts = texts + 1
    reply[texts], receipt = receipt, -1
  end
  filled = filled + 1
  if limit == 0 then
    rows[filled] = pack('<Bdddd', status, remaining, wait_us, reset_us, receipt)
  else
    rows[filled] = pack('<Bddddd', status + 8, remaining, wait_us, reset_us, receipt, limit)
  end
  --@upto
  if steps then
    filled = filled + 1
    rows[filled] = pack('<d', status == 0 and not refused and cost or 0)
  end
  --@end
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
  return least_remaining, longest_us, full_us
end

-- Decides one question. If that fails, the other questions of this call are decided all the same.
local function decide_one(index, at, width, mode, count)
  local rows_before, texts_before = filled, texts
  refused = mode == 'each' or mode == 'none'
  --@upto
  most = steps
  --@end
  local done, remaining, longest_us, full_us = pcall(decide, index, at, width, mode, count)
  if not done then
    for i = texts_before + 1, texts do
      reply[i] = nil
    end
    filled, texts = rows_before + 1, texts_before + 1
    -- What redis.call raises is a table since Redis 7.
    rows[filled], reply[texts] = pack('B', 5), type(remaining) == 'table' and remaining.err or remaining
  elseif count > 1 then
    if longest_us < 0 or longest_us == 2 ^ 53 then
      longest_us = -1000000
    end
    filled = filled + 1
    rows[filled] = pack('<Bddd', refused and 1 or 0, remaining, longest_us / 1000000, full_us / 1000000)
  end
end

-- Converts the numbers of a form that several questions share, once. A single digit stays a text, as it may be a flag, and so do more
-- than fourteen digits, as they may be a text.
local function read_numbers(at, count, width)
  for check = at, at + (count - 1) * width, width do
    ARGV[check] = ARGV[check] + 0
    for i = check + 3, check + width - 1 do
      local text = ARGV[i]
      -- It may be a number already, of which `#` knows no length.
      if string.len(text) > 1 and string.find(text, '^%d+$') and string.len(text) < 15 then
        ARGV[i] = text + 0
      end
    end
  end
end

-- Decides all questions, one after another.
local function decide_all()
  filled, texts = 0, 3
  local not_after_us, more = ARGV[1] + 0, nil
  if not_after_us > 0 and now_us > not_after_us then
    -- Reads COUNT and MS of the next run.
    more = string.gmatch(ARGV[2], '(%d+):(%d+)')
  end
  local late, alike = more ~= nil, 0
  local index, own = 1, (ARGV[4] or 0) + 0
  for run = (ARGV[3] or 1) + 0, own - 1, 2 do
    local form = ARGV[run] + 0
    local mode, count, width, owns = ARGV[form], ARGV[form + 1] + 0, ARGV[form + 2] + 0, ARGV[form + 4] + 0
    local at = form + 5
    local places = at + count * width
    patience, looking = ARGV[form + 3], mode == 'look'
    --@upto
    steps = mode == 'some' and patience + 0 or nil
    if steps then
      mode, patience = 'all', '0'
    end
    --@end
    if ARGV[run + 1] ~= '1' then
      read_numbers(at, count, width)
    end
    for _ = 1, ARGV[run + 1] do
      for i = 0, owns - 1 do
        ARGV[ARGV[places + i] + 0] = ARGV[own]
        own = own + 1
      end
      if more then
        if alike == 0 then
          local many, longer_ms = more()
          alike, late = (many or 2 ^ 53) + 0, now_us > not_after_us + (longer_ms or 0) * 1000
        end
        alike = alike - 1
      end
      if late then
        filled = filled + 1
        rows[filled] = pack('B', 4)
      else
        decide_one(index, at, width, mode, count)
      end
      index = index + count
    end
  end
end

-- Calls of fewer than four keys are not measured. The smallest batch that a slow server is sent must be: otherwise batches to it would
-- never become larger again.
local began = #KEYS >= 4 and redis.call('TIME')
decide_all()
-- Nothing could be written, as on a full server: each question is decided once more and writes at once, so that it fails alone.
if not write_all() then
  for i = 4, texts do
    reply[i] = nil
  end
  write_at_once()
  decide_all()
end
if began then
  local ended = redis.call('TIME')
  reply[2] = (ended[1] - began[1]) * 1000000 + ended[2] - began[2]
end
reply[3] = table.concat(rows, '', 1, filled)
return reply
