-- State of more bytes is kept in a list. A set with this many is read as fast as one without state.
local most_in_set = 512

local function block_text(until_us, banned)
  return string.format('until:%.0f%s', until_us, banned and '!' or '')
end

-- Blocks a key until an instant, and keeps its state, `dump`, until the end of that state's life, `gone_us`.
local function write_block(key, until_us, gone_us, dump, banned)
  local text, last_us = block_text(until_us, banned), until_us
  redis.call('DEL', key)
  if not dump or gone_us <= now_us then
    redis.call('SADD', key, text)
  else
    last_us = math.max(until_us, gone_us)
    if #dump > most_in_set then
      redis.call('RPUSH', key, text, string.format('%.0f', gone_us), dump)
    else
      redis.call('SADD', key, text, string.format('state:%.0f:', gone_us) .. dump)
    end
  end
  live(key, last_us - now_us)
end
