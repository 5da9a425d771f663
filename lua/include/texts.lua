-- What a key holds, as GET answers it.
local function fetch(key)
  return redis.pcall('GET', key)
end

-- What was put off for a key is written: nothing is.
local function flush()
  return
end

-- Writes a string and its life; left out: the life that it has goes on.
local function keep(key, value, life_us)
  if life_us then
    save(key, value, life_us)
  else
    redis.call('SET', key, value, 'KEEPTTL')
  end
end
