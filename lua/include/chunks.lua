-- Many values at once, a thousand a command: unpack aborts a script at about eight thousand.
local function in_chunks(total, send)
  local sent = 0
  while sent < total do
    local size = math.min(1000, total - sent)
    send(sent, size)
    sent = sent + size
  end
end

-- Appends a text so many times to a list.
local function push(key, times, text)
  if times == 1 then
    redis.call('RPUSH', key, text)
    return
  end
  in_chunks(times, function(_, size)
    local values = {}
    for i = 1, size do
      values[i] = text
    end
    redis.call('RPUSH', key, unpack(values))
  end)
end

-- Adds so many members with the score now to a sorted set, numbered from 1.
local function add(key, mark, times)
  if times == 1 then
    redis.call('ZADD', key, now_us, mark .. ':1')
    return
  end
  in_chunks(times, function(sent, size)
    local pairs_of = {}
    for i = 1, size do
      pairs_of[2 * i - 1] = now_us
      pairs_of[2 * i] = mark .. ':' .. sent + i
    end
    redis.call('ZADD', key, unpack(pairs_of))
  end)
end
