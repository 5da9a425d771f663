-- Takes units, whatever the limit says. Included in place, as `charge`, `look` and `take` are those of the key's strategy.
if charge then
  charge(key, first, units)
else
  local status, _, _, _, _, a, b, c, d = look(key, first, units)
  if status then
    take(key, first, units, a, b, c, d)
  end
end
