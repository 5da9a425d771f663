-- A blocked key holds a set, a type that no strategy stores: `until:US`, the block's end (`until:US!` of a ban), and where there was
-- state `state:US:DUMP`, that state and the instant at which its life ends. A set is read as a whole, so large state makes it a list
-- of `until:US`, that instant and DUMP, of which a check reads the first element only.

-- Reads a key of this type as a block: its end, the end of the state's life, the dump, and whether it is a ban; nil where it is no
-- block. The second and third are read from a list only where the state is wanted.
local function read_block(key, kind, state_wanted)
  local until_us, gone_us, dump, mark
  if kind == 'list' then
    until_us, mark = string.match(redis.call('LINDEX', key, 0), '^until:(%d+)(!?)$')
    if until_us and state_wanted then
      gone_us, dump = redis.call('LINDEX', key, 1), redis.call('LINDEX', key, 2)
    end
  elseif kind == 'set' then
    for _, member in ipairs(redis.call('SMEMBERS', key)) do
      if not until_us then
        until_us, mark = string.match(member, '^until:(%d+)(!?)$')
      end
      if not dump then
        gone_us, dump = string.match(member, '^state:(%d+):(.*)$')
      end
    end
  end
  return tonumber(until_us), tonumber(gone_us), dump, mark == '!'
end

-- Ends the block: the kept state comes back with what is left of its life.
local function restore(key, kind)
  local _, gone_us, dump = read_block(key, kind, true)
  redis.call('DEL', key)
  if dump and gone_us > now_us then
    revive(key, dump, gone_us - now_us)
  end
end
