-- How far the server's clock may step back before state that lies ahead counts as wrong: TIME is not quite monotonic.
local slip_us = 1000
