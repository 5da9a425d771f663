-- What a key holds as "END:COUNT" or "END:COUNT:SPAN"; zeros where it holds nothing. Where it holds anything else: nil, and that value.
local function stored_window(key)
  local raw = fetch(key)
  if not raw then
    return 0, 0, 0
  end
  local end_us, count, span_us = string.match(type(raw) == 'string' and raw or '', '^(%d+):(%-?%d+):?(%d*)$')
  if not end_us then
    return nil, raw
  end
  return end_us + 0, count + 0, tonumber(span_us) or 0
end
