-- Test form of time: each call carries the instant as its last argument, and before it whether keys expire. Then a key whose life
-- is over is out of sight, as if the server had dropped it, and in sight again when the instant steps back.
local now_us = tonumber(table.remove(ARGV))
local clock = { string.format('%.0f', math.floor(now_us / 1000000)), string.format('%.0f', now_us % 1000000) }
if table.remove(ARGV) == 'yes' then
  for _, key in ipairs(KEYS) do
    local gone_us, hidden = redis.call('GET', 'test:gone_us:' .. key), 'test:hidden:' .. key
    if gone_us and tonumber(gone_us) <= now_us then
      if redis.call('EXISTS', key) == 1 then
        redis.call('RENAME', key, hidden)
      end
    elseif redis.call('EXISTS', hidden) == 1 then
      if redis.call('EXISTS', key) == 1 then
        redis.call('DEL', hidden)
      else
        redis.call('RENAME', hidden, key)
      end
    end
  end
end
