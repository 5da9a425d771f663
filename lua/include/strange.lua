-- `said` is no state and no block. A server that refuses to read fails every key, and not this one alone.
if type(said) == 'table' and said.err and not string.find(said.err, 'WRONGTYPE', 1, true) then
  error(said.err)
end
error('SLUICE a key holds what no strategy wrote')
