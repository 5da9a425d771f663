-- The text of a whole number of any size; `digits` is for instants. '%.0f' takes a server three times as long.
local function whole(number)
  if number < 2147483648 then
    return string.format('%d', number)
  end
  local low = number % 100000000
  return string.format('%d%08d', (number - low) / 100000000, low)
end
