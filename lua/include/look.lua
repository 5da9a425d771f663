-- True while a question only looks: then nothing at all is written for it.
local looking = false
