-- Every life that a script gives a key is given here, in microseconds, rounded up to at least one millisecond.
local function life_ms(life_us)
  local ms = math.ceil(life_us / 1000)
  if ms < 1 then
    return 1
  end
  return ms
end

-- Writes a string and its life.
local function save(key, value, life_us)
  redis.call('SET', key, value, 'PX', life_ms(life_us))
end

-- Gives a life to what a script has just written at this key.
local function live(key, life_us)
  redis.call('PEXPIRE', key, life_ms(life_us))
end

-- Brings a dumped value back, with a life.
local function revive(key, dump, life_us)
  redis.call('RESTORE', key, life_ms(life_us), dump)
end

-- What is left of a key's life, and never less: a server keeps a key until the last millisecond of its life is over.
local function left_us(key)
  return (redis.call('PTTL', key) + 1) * 1000 - now_us % 1000
end
