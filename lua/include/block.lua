-- A blocked key holds a set, a type that no strategy stores: `until:US`, the block's end, and where there was state
-- `state:US:DUMP`, that state and the instant at which its life ends.

-- What the set says: end, end of the state's life, dump. Anything but such a set is a failure of the store.
local function read_block(key, raw)
  local until_us, gone_us, dump
  if type(raw) == 'table' and redis.call('TYPE', key).ok == 'set' then
    for _, member in ipairs(redis.call('SMEMBERS', key)) do
      until_us = until_us or tonumber(string.match(member, '^until:(%d+)$'))
      if not dump then
        gone_us, dump = string.match(member, '^state:(%d+):(.*)$')
      end
    end
  end
  if not until_us then
    error('SLUICE a key holds what no strategy wrote')
  end
  return until_us, tonumber(gone_us), dump
end

-- Ends the block: the kept state comes back with what is left of its life.
local function restore(key, gone_us, dump)
  redis.call('DEL', key)
  if dump and gone_us > now_us then
    revive(key, dump, gone_us - now_us)
  end
end
