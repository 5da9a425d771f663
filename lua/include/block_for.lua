-- A refusal blocks its key, and a request during a block may prolong it. The role is followed by µs of the first block, and whether
-- requests prolong it (1 or 0). Where earlier blocks count, these follow: factor, µs of the longest block, blocks before a ban (0: none),
-- µs of a ban, µs for which a block counts on after its end, and the argument that says which of the last keys counts them. That key
-- holds "TIMES:END" (END: from when on they count no more).
local rule = {}
for number in string.gmatch(ARGV[at + 2], '%d+') do
  rule[#rule + 1] = number + 0
end
local is_new, length_us, times, banned = status == 1, rule[1], 0, false
local record = rule[8] and KEYS[#KEYS + 1 - ARGV[at + rule[8]]]
if record then
  local counted, counted_us = string.match(redis.call('GET', record) or '', '^(%d+):(%d+)$')
  if counted and counted_us + 0 > now_us then
    times = counted + 0
  end
  if is_new then
    times = times + 1
  end
  banned = is_new and rule[5] > 0 and times > rule[5]
  local nth = 1
  while rule[3] > 1 and nth < times and length_us < rule[4] do
    nth, length_us = nth + 1, math.min(length_us * rule[3], rule[4])
  end
  if banned then
    length_us = rule[6]
  end
end
if is_new or (rule[2] == 1 and length_us > wait_us) then
  local end_us = now_us + math.max(length_us, wait_us)
  --@include blocking
  if is_new then
    flush(key)
    local state = redis.call('DUMP', key)
    write_block(key, end_us, state and now_us + left_us(key), state, banned)
  else
    local life_us, text = math.max(left_us(key), end_us - now_us), block_text(end_us)
    if redis.call('TYPE', key).ok == 'list' then
      redis.call('LSET', key, 0, text)
    else
      local members, old = { text }, block_text(now_us + wait_us)
      for _, member in ipairs(redis.call('SMEMBERS', key)) do
        if member ~= old then
          members[#members + 1] = member
        end
      end
      redis.call('DEL', key)
      redis.call('SADD', key, unpack(members))
    end
    live(key, life_us)
  end
  -- After the block, which begins with DEL: a server that is out of memory lets a script go on that has written already.
  if times > 0 then
    local counted_us = end_us + rule[7]
    save(record, string.format('%d:%.0f', times, counted_us), counted_us - now_us)
  end
  status, limit, remaining, wait_us, reset_us = banned and 6 or 2, 0, 0, end_us - now_us, end_us - now_us
end
