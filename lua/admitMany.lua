--[[
As admit.lua, for many questions, each of which asks all policies of a limiter for one unit; their numbers are in the script's text.
Stands behind decide.lua, which joining makes a function `decide_rest(KEYS, ARGV)`: it decides the first question that is not the common
case, and all questions after it.
KEYS   one state key a policy, question after question
ARGV   1 and 2 as decide.lua's
Reply  as decide.lua's
]]
local pack = struct.pack
local began = #KEYS >= 4 and redis.call('TIME')
local policies = #admits
local rows, texts = {}, {}
-- How many keys, rows and texts the questions have that are decided already.
local passed, filled, said = 0, 0, 0

-- Asks policy `i` of a question and those behind it: looks at all of them on the way down, and writes on the way back. Answers the
-- smallest remaining, the longest reset, and how many rows and texts there are then; nothing where one of them does not admit.
local function pass(i)
  local key = KEYS[passed + i]
  local remaining, reset_us, receipt, text, life_us, count = admits[i](key, 8)
  if not remaining then
    return
  end
  local least, full_us, row, text_at = remaining, reset_us, filled, said
  if i < policies then
    least, full_us, row, text_at = pass(i + 1)
    if not least then
      return
    end
    least, full_us = math.min(least, remaining), math.max(full_us, reset_us)
  end
  if life_us then
    keep(key, text, life_us)
  else
    keep_more(key, 1, text, count)
  end
  if type(receipt) == 'string' then
    text_at = text_at + 1
    texts[text_at], receipt = receipt, -1
  end
  rows[row + 1] = pack('<Bdddd', 0, remaining, 0, reset_us, receipt)
  return least, full_us, row + 1, text_at
end

-- Admits question after question, up to the first that is not the common case.
local function pass_all()
  for _ = 1, #KEYS, policies do
    local least, full_us, row, text_at = pass(1)
    if not least then
      return
    end
    if policies > 1 then
      row = row + 1
      rows[row] = pack('<Bddd', 0, least, -1, full_us / 1000000)
    end
    passed, filled, said = passed + policies, row, text_at
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
