-- True while a question only looks: then nothing at all is written for it.
local looking = false
-- True while units are given back by receipt: then no state is repaired. The call's numbers are those that were charged, and by them a
-- window would end too early that others have opened since.
local giving = false
