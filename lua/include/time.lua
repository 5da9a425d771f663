-- The one instant of this call: whole microseconds of the server's clock, read once.
local clock = redis.call('TIME')
local now_us = clock[1] * 1000000 + clock[2]
