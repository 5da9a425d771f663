--[[
Adds members to a sorted set that keeps the latest: the series that were written, or events.
KEYS   the set, by when each member was last written
ARGV   1 members last written up to then are dropped   2 most members   3 life_ms, then for each member: when, member
Reply  nothing
TTL    life_ms, with every addition
]]
local members = KEYS[1]
redis.call('ZADD', members, unpack(ARGV, 4))
redis.call('PEXPIRE', members, ARGV[3])
redis.call('ZREMRANGEBYSCORE', members, '-inf', ARGV[1])
redis.call('ZREMRANGEBYRANK', members, 0, -ARGV[2] - 1)
