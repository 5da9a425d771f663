-- The strings of a call with many keys: all are read by one command. Where a key comes several times, each is written once, at the end.
local held, lives, all_read, repeated, at_once = {}, {}, false, false, false

-- MGET does not tell a missing key from one that holds no string: both are read alone, when they are asked for.
local function fetch_all()
  all_read = true
  -- unpack aborts a script at about eight thousand.
  local values = #KEYS <= 1000 and redis.pcall('MGET', unpack(KEYS))
  if values and not values.err then
    for i = 1, #KEYS do
      local key = KEYS[i]
      if held[key] then
        repeated = not at_once
      end
      held[key] = values[i] or nil
    end
  end
end

-- What a key holds, as GET answers it.
local function fetch(key)
  if not all_read then
    fetch_all()
  end
  local value = held[key]
  if value == nil then
    value = redis.pcall('GET', key)
    -- An error means that the key holds no string. It is not remembered, as the end of a block may bring one back.
    if type(value) ~= 'table' then
      held[key] = value
    end
  end
  return value
end

local function write(key, value, life_us)
  if life_us then
    save(key, value, life_us)
  else
    redis.call('SET', key, value, 'KEEPTTL')
  end
end

-- Writes a string and its life; without `life_us`, the key keeps the life that it has.
local function keep(key, value, life_us)
  held[key] = value
  if repeated then
    lives[key] = life_us or lives[key] or false
  elseif life_us then
    save(key, value, life_us)
  else
    redis.call('SET', key, value, 'KEEPTTL')
  end
end

-- Adds to a string that is an integer: to the count below 1,000 in its last three digits, or to the instant before them. `number`: the
-- count, or the instant, that is then there. The key keeps its life.
local function keep_more(key, added, text, number)
  if not repeated then
    -- If the key comes again after all, it is read again.
    held[key] = nil
    redis.call('INCRBY', key, added)
  elseif number < 1000 then
    keep(key, string.format('%s%03d', string.sub(text, 1, 16), number))
  else
    keep(key, '-' .. digits(number) .. string.sub(text, -3))
  end
end

-- Writes what was put off for a key that is about to hold no string, and reads it anew from then on.
local function flush(key)
  if lives[key] ~= nil then
    write(key, held[key], lives[key])
  end
  held[key], lives[key] = nil, nil
end

-- Writes what was put off. Answers false where the first key cannot be written: then nothing was written.
local function write_all()
  local first = true
  for key, life_us in pairs(lives) do
    if not first then
      write(key, held[key], life_us)
    elseif not pcall(write, key, held[key], life_us) then
      return false
    end
    first = false
  end
  return true
end

-- From here on each string is written at once, so that only the questions that write can fail.
local function write_at_once()
  held, lives, all_read, repeated, at_once = {}, {}, false, false, true
end
