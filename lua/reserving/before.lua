-- Stands before the fragment of a strategy whose callers can reserve, and after.lua behind it. The fragment's own functions are called
-- plain_look, plain_take … there, and find their first argument behind one that says how far ahead units may be reserved.

-- How much further ahead than usual state may lie.
local usual_slip_us = slip_us
local slip_us, book = slip_us, nil
