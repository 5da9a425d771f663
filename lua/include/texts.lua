-- What a key holds, as GET answers it.
local function fetch(key)
  return redis.pcall('GET', key)
end

-- Writes what was put off for a key. In this form that is nothing, as texts are written at once.
local function flush()
  return
end

-- Adds to a string that is an integer; the key keeps its life.
local function keep_more(key, added)
  redis.call('INCRBY', key, added)
end

-- Writes a string and its life; without `life_us`, the key keeps the life that it has.
local function keep(key, value, life_us)
  if life_us then
    save(key, value, life_us)
  else
    redis.call('SET', key, value, 'KEEPTTL')
  end
end
