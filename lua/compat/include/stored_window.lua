-- End and count of the window that a key holds as "END:COUNT", 0 and 0 where it holds nothing. Where it holds anything else: nil, and
-- that value.
local function stored_window(key)
  local raw = fetch(key)
  if not raw then
    return 0, 0
  end
  if type(raw) ~= 'string' then
    return nil, raw
  end
  local end_us, count = tonumber(string.sub(raw, 1, 16)), tonumber(string.sub(raw, 18))
  if not (end_us and count) then
    return nil, raw
  end
  return end_us, count
end
