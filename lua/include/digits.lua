-- The text of an instant of sixteen digits: a number as an argument takes a server longer. '%d' is too short on one of 32 bits.
local function digits(us)
  local text = string.format('%d', us)
  if #text == 16 then
    return text
  end
  local low = us % 100000000
  return string.format('%d%08d', (us - low) / 100000000, low)
end
