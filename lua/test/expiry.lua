-- Test form of expiry: real lives would remove state while the test's clock stands still, so the instant at which the
-- life ends is written to a key of its own, in microseconds.
local function live(key, life_us)
  redis.call('SET', 'test:gone_us:' .. key, string.format('%.0f', now_us + life_us))
end

local function save(key, value, life_us)
  redis.call('SET', key, value)
  live(key, life_us)
end

local function revive(key, dump, life_us)
  redis.call('RESTORE', key, 0, dump)
  live(key, life_us)
end

local function left_us(key)
  return (redis.call('GET', 'test:gone_us:' .. key) or now_us) - now_us
end
