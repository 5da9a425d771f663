-- A server that refuses to read fails every key, and not only one that holds something else.
if type(said) == 'table' and said.err and not string.find(said.err, 'WRONGTYPE', 1, true) then
  error(said.err)
end
