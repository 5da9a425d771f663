-- True while a question only looks: then nothing at all is written for it.
local looking = false
-- True while units are given back by receipt: then no state is repaired. The call's numbers are those of the charge: repaired by them,
-- a window that other numbers have opened since would end too early.
local giving = false
