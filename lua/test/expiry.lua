-- Test form of expiry: real lives would remove state while the test's clock stands still, so the wanted life is written
-- to a key of its own, in microseconds, and as the milliseconds that a server would have been told.
local function life_ms(life_us)
  local ms = math.ceil(life_us / 1000)
  if ms < 1 then
    return 1
  end
  return ms
end

local function live(key, life_us)
  redis.call('SET', 'test:life_ms:' .. key, life_ms(life_us))
  redis.call('SET', 'test:gone_us:' .. key, string.format('%.0f', now_us + life_us))
end

local function save(key, value, life_us)
  redis.call('SET', key, value)
  live(key, life_us)
end

local function left_us(key)
  return (redis.call('GET', 'test:gone_us:' .. key) or now_us) - now_us
end
