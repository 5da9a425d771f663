-- Every life that a script gives a key is given here, in microseconds, rounded up to at least one millisecond.
local function life_ms(life_us)
  return life_us > 1000 and math.ceil(life_us / 1000) or 1
end

-- Writes a string and its life. It does not call `life_ms`, so that the shortest scripts have one function less to make in every call.
local function save(key, value, life_us)
  local ms = life_us > 1000 and math.ceil(life_us / 1000) or 1
  redis.call('PSETEX', key, ms < 2147483648 and string.format('%d', ms) or ms, value)
end

-- Gives a life to what a script has just written at this key.
local function live(key, life_us)
  redis.call('PEXPIRE', key, life_ms(life_us))
end

-- Brings a dumped value back, with a life.
local function revive(key, dump, life_us)
  redis.call('RESTORE', key, life_ms(life_us), dump)
end

-- What is left of a key's life, never too little: a server keeps a key until the last millisecond of its life is over. The clock is
-- read after PTTL: an earlier reading may be a millisecond behind the one that PTTL has used.
local function left_us(key)
  local left_ms = redis.call('PTTL', key)
  local read = redis.call('TIME')
  local read_ms = read[1] * 1000 + math.floor(read[2] / 1000)
  return (left_ms + 1 + read_ms) * 1000 - now_us
end
