-- Sends many values, a thousand in each command: unpack aborts a script at about eight thousand. A strategy that keeps an entry for
-- each unit keeps at most 100,000 of them, as a penalty may be larger than any limit.
local function in_chunks(times, count, send)
  local total, sent = math.min(times, 100000 - count), 0
  while sent < total do
    local size = math.min(1000, total - sent)
    send(sent, size)
    sent = sent + size
  end
end

-- Appends a text `times` times to a list that has `count` entries.
local function push(key, text, times, count)
  if times == 1 and count < 100000 then
    redis.call('RPUSH', key, text)
    return
  end
  in_chunks(times, count, function(_, size)
    local values = {}
    for i = 1, size do
      values[i] = text
    end
    redis.call('RPUSH', key, unpack(values))
  end)
end

-- Adds `times` members with this score, numbered from 1, to a sorted set that has `count`.
local function add(key, score_us, mark, times, count)
  if times == 1 and count < 100000 then
    redis.call('ZADD', key, score_us, mark .. ':1')
    return
  end
  in_chunks(times, count, function(sent, size)
    local pairs_of = {}
    for i = 1, size do
      pairs_of[2 * i - 1] = score_us
      pairs_of[2 * i] = mark .. ':' .. sent + i
    end
    redis.call('ZADD', key, unpack(pairs_of))
  end)
end
