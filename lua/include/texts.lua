-- What a key holds, as GET answers it.
local function fetch(key)
  return redis.pcall('GET', key)
end

-- Writes what was put off for a key: nothing, as texts are written at once.
local function flush()
  return
end

-- Adds units to the string of an end and of a count below 1,000; its life goes on.
local function keep_more(key, units)
  redis.call('INCRBY', key, units == 1 and '1' or units)
end

-- Writes a string and its life; left out: the life that it has goes on.
local function keep(key, value, life_us)
  if life_us then
    save(key, value, life_us)
  else
    redis.call('SET', key, value, 'KEEPTTL')
  end
end
