--[[
At most a limit a window; the window starts at the first hit, or is aligned to the clock.
State    string "END:COUNT"; END has sixteen digits until the year 2286
ARGV     limit, window_us, aligned ("1" or "0")
Receipt  END
TTL      until END
]]
--@include window
-- A running window has the text of its end; the life that it was given at its first hit goes on.
local function take(key, at, cost, end_us, count, end_text)
  if end_text then
    keep(key, string.format('%s:%d', end_text, count))
  else
    keep(key, string.format('%.0f:%d', end_us, count), end_us - now_us)
  end
  return end_us
end

local function look(key, at, cost)
  local limit, window_us = ARGV[at] + 0, ARGV[at + 1] + 0
  local end_us, count, end_text = 0, 0, nil
  local raw = fetch(key)
  if raw then
    if type(raw) ~= 'string' then
      return nil, raw
    end
    end_text = string.sub(raw, 1, 16)
    end_us, count = tonumber(end_text), tonumber(string.sub(raw, 18))
    if not count then
      return nil, raw
    end
    if end_us > now_us + window_us + slip_us then
      end_us = now_us + window_us
      end_text = string.format('%.0f', end_us)
      take(key, at, cost, end_us, count)
    end
  end
  if end_us <= now_us then
    end_us, count, end_text = now_us + window_us, 0, nil
    if ARGV[at + 2] == '1' then
      end_us = end_us - now_us % window_us
    end
  end
  return look_window(limit, end_us, count, cost, end_text)
end

-- Only into the window that was charged.
local function give(key, at, units, receipt)
  local status, _, _, _, _, end_us, count, end_text = look(key, at, 0)
  if status and end_text and end_us == tonumber(receipt) then
    take(key, at, 0, end_us, math.max(0, count - units), end_text)
  end
end

local function reward(key, at, units)
  local status, _, _, _, _, end_us, count, end_text = look(key, at, 0)
  if status and end_text and count > 0 then
    take(key, at, 0, end_us, math.max(0, count - units), end_text)
  end
end
