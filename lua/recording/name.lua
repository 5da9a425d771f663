--[[
Names series that were written, and forgets the oldest.
KEYS   names (sorted set, by the second that was written last)
ARGV   1 oldest second that is kept   2 most names   3 life_ms, then for each series: second, name
Reply  nothing
TTL    life_ms, with every name
]]
local names = KEYS[1]
redis.call('ZADD', names, unpack(ARGV, 4))
redis.call('PEXPIRE', names, ARGV[3])
redis.call('ZREMRANGEBYSCORE', names, '-inf', ARGV[1])
redis.call('ZREMRANGEBYRANK', names, 0, -ARGV[2] - 1)
