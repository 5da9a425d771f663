-- Blocks a key until an instant, behind which its state is kept for as long as that lives.
local function write_block(key, until_us, gone_us, dump)
  redis.call('DEL', key)
  redis.call('SADD', key, string.format('until:%.0f', until_us))
  if dump and gone_us > now_us then
    redis.call('SADD', key, string.format('state:%.0f:', gone_us) .. dump)
    live(key, math.max(until_us, gone_us) - now_us)
  else
    live(key, until_us - now_us)
  end
end
