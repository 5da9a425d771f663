-- Test form of time: the instant stands in a key that the test writes. Where the test says so a key whose life is over is out
-- of sight then, as if the server had dropped it, and in sight again when the instant steps back.

-- On a cluster each master has a copy of its own, under a tag in one of its slots.
local function told(name)
  for _, tag in ipairs({ '', '{a}', '{b}', '{c}' }) do
    local value = redis.pcall('GET', name .. tag)
    if type(value) == 'string' then
      return value
    end
  end
end

local now_us = tonumber(told('test:now_us'))
if told('test:expires') == 'yes' then
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
