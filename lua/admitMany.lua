--[[
As admit.lua, for many questions, each of which asks all policies of a limiter for one unit; their numbers are in the script's text.
When the script is joined, the lines of `--@each` stand once for each policy, with its number in place of N, and those of `--@one` only
where there is one. There, questions for the same key that follow each other are admitted together.
Stands behind decide.lua, which joining makes a function `decide_rest(KEYS, ARGV)`: it decides the first question that is not the common
case, and all questions after it.
KEYS   one state key a policy, question after question
ARGV   1 and 2 as decide.lua's
Reply  as decide.lua's. A byte 16 is a policy that admits whose receipt is the instant of its reset: remaining and receipt follow
]]
local pack = struct.pack
local began = #KEYS >= 4 and redis.call('TIME')
local rows, texts = {}, {}
-- How many keys, rows and texts the questions have that are decided already.
local passed, filled, said = 0, 0, 0

-- The row of a policy that admits. Where the receipt is the instant of the reset, as it often is, that is not said twice.
local function packed(remaining, reset_us, receipt)
  if receipt == now_us + reset_us then
    return pack('<Bdd', 16, remaining, receipt)
  end
  return pack('<Bdddd', 0, remaining, 0, reset_us, receipt)
end

-- Admits question after question, up to the first that is not the common case. Asks all policies of one, and then writes.
local function pass_all()
  fetch_all()
  -- Up to this key, questions are admitted one by one, as together they could not be.
  local apart = 0
  while passed < #KEYS do
    local units = 1
    --@one
    -- Only where writing is put off: `added_N`, which is for one unit, is not needed then.
    while repeated and passed >= apart and KEYS[passed + units + 1] == KEYS[passed + 1] do
      units = units + 1
    end
    --@end
    --@each
    local left_N, reset_us_N, receipt_N, text_N, life_us_N, number_N, added_N, gap_N = admit(KEYS[passed + N], 8, units)
    if not left_N and units == 1 then
      return
    end
    --@end
    local admitted = units == 1
    --@one
    admitted = admitted or gap_N
    --@end
    if not admitted then
      apart = passed + units
    else
      local row, text_at = filled, said
      --@one
      for before = units - 1, 1, -1 do
        row = row + 1
        rows[row] = packed(left_N + before, reset_us_N - before * gap_N, receipt_N - before * gap_N)
      end
      --@end
      --@each backwards
      if life_us_N then
        keep(KEYS[passed + N], text_N, life_us_N)
      else
        keep_more(KEYS[passed + N], added_N, text_N, number_N)
      end
      if type(receipt_N) == 'string' then
        text_at = text_at + 1
        texts[text_at], receipt_N = receipt_N, -1
      end
      row = row + 1
      rows[row] = packed(left_N, reset_us_N, receipt_N)
      --@end
      --@several
      local least, full_us = 2 ^ 53, 0
      --@end
      --@each of several
      least, full_us = math.min(least, left_N), math.max(full_us, reset_us_N)
      --@end
      --@several
      row = row + 1
      rows[row] = pack('<Bddd', 0, least, -1, full_us / 1000000)
      --@end
      passed, filled, said = passed + units * policies, row, text_at
    end
  end
end

if ARGV[1] == '0' or now_us <= ARGV[1] + 0 then
  -- Where a question's first write fails, as on a full server, that question has written nothing.
  pcall(pass_all)
  -- Where the first of the writes that were put off fails, nothing was written either.
  if not write_all() then
    write_at_once()
    passed, filled, said = 0, 0, 0
  end
end
local reply = { now_us, 0, '' }
if passed < #KEYS then
  local keys = {}
  for i = passed + 1, #KEYS do
    keys[i - passed] = KEYS[i]
  end
  local args = { ARGV[1], ARGV[2], #form + 5, #form + 7, unpack(form) }
  args[#form + 5], args[#form + 6] = 5, tostring(#keys / policies)
  reply = decide_rest(keys, args)
end
if began then
  local ended = redis.call('TIME')
  reply[2] = (ended[1] - began[1]) * 1000000 + ended[2] - began[2]
end
reply[3] = table.concat(rows, '', 1, filled) .. reply[3]
for i = said, 1, -1 do
  table.insert(reply, 4, texts[i])
end
return reply
