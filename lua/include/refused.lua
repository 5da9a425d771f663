-- An error other than WRONGTYPE says nothing about the key: the server refuses to read any.
if type(said) == 'table' and said.err and not string.find(said.err, 'WRONGTYPE', 1, true) then
  error(said.err)
end
