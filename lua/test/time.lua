-- Test form of time: the instant stands in a key that the test writes.
local now_us = tonumber(redis.call('GET', 'test:now_us'))
