--[[
At most a limit a window for all clients of a key together, each with its share: what a client asked for in the last window is its
part of this one, by max-min fairness. A refusal writes too: a client that asked in vain has a part of the next window.
State    hash. "w" is "END:UNTIL:SPAN:TOTAL:KEPT:FAIR:PARTS:KNOWN:ASKING": from UNTIL on the next window does not follow this one; SPAN
         is 0, or where a policy that was chosen for a call has opened it, how long its windows are; TOTAL: units taken; KEPT, FAIR and
         PARTS: what clients have not used yet of what is kept for them, of their fair shares and of their parts; KNOWN and ASKING: the
         weight of all that asked in the window before, and in this one.
         "=NAME" is a client's "PART:FAIR:KEPT:USED:ASKED:WEIGHT", and "~" that of all clients that came when max_clients had fields.
ARGV     limit, window_us, "0" or where the policy was chosen for this call, how long the limiter's own windows are, weight,
         max_clients, note (the client's name)
Receipt  "END:FIELD"
TTL      until UNTIL
]]
--@include window
local others = '~'

local function read_client(text)
  local part, fair, kept, used, asked, weight = string.match(text or '', '^(%d+):(%d+):(%d+):(%d+):(%d+):(%d+)$')
  if not part then
    return
  end
  return {
    part = part + 0,
    fair = fair + 0,
    kept = kept + 0,
    used = used + 0,
    asked = asked + 0,
    weight = weight + 0,
  }
end

local function new_client(weight)
  return { part = 0, fair = 0, kept = 0, used = 0, asked = 0, weight = weight }
end

local function client_text(client)
  local amounts = string.format('%.0f:%.0f:%.0f', client.part, client.fair, client.kept)
  return string.format('%s:%.0f:%.0f:%.0f', amounts, client.used, client.asked, client.weight)
end

local function read_window(text)
  local end_us, until_us, span_us, total, kept, fair, parts, known, asking =
    string.match(text, '^(%d+):(%d+):(%d+):(%d+):(%d+):(%d+):(%d+):(%d+):(%d+)$')
  if not end_us then
    return
  end
  return {
    end_us = end_us + 0,
    until_us = until_us + 0,
    span_us = span_us ~= '0' and span_us + 0 or nil,
    total = total + 0,
    kept = kept + 0,
    fair = fair + 0,
    parts = parts + 0,
    known = known + 0,
    asking = asking + 0,
  }
end

local function window_text(window)
  local life = string.format('%.0f:%.0f:%.0f', window.end_us, window.until_us, window.span_us or 0)
  local amounts = string.format('%.0f:%.0f:%.0f:%.0f', window.total, window.kept, window.fair, window.parts)
  return string.format('%s:%s:%.0f:%.0f', life, amounts, window.known, window.asking)
end

local function rest_of(units, client)
  return math.max(0, units - client.used)
end

-- The clients that asked in the last window, and for how much (the limit at most), and all fields of the hash.
local function read_wishes(key, limit)
  local wishes, fields = {}, {}
  local texts = redis.call('HGETALL', key)
  for i = 1, #texts, 2 do
    local client = texts[i] ~= 'w' and read_client(texts[i + 1])
    if client and client.asked > 0 then
      local units = math.min(limit, math.max(client.asked, client.used))
      wishes[texts[i]] = { units = units, weight = client.weight }
    end
    fields[#fields + 1] = texts[i]
  end
  return wishes, fields
end

-- Opens the window that follows these wishes, by max-min fairness: a client that asked for less than a share gets all of it, the smallest
-- wish first, and leaves the rest to the others.
local function open_window(wishes, limit, end_us, until_us, span_us)
  local in_order, known = {}, 0
  for _, wish in pairs(wishes) do
    in_order[#in_order + 1] = wish
    known = known + wish.weight
  end
  table.sort(in_order, function(a, b)
    return a.units * b.weight < b.units * a.weight
  end)
  local rest, weighing = limit, known
  for _, wish in ipairs(in_order) do
    if wish.units * weighing > rest * wish.weight then
      break
    end
    rest, weighing = rest - wish.units, weighing - wish.weight
  end
  local clients, kept, fair, parts, count = {}, 0, 0, 0, 0
  for name, wish in pairs(wishes) do
    local client = new_client(wish.weight)
    local is_served = wish.units * weighing <= rest * wish.weight
    client.part = is_served and wish.units or math.ceil(rest * wish.weight / weighing)
    client.fair = math.min(client.part, math.floor(limit * wish.weight / known))
    client.kept = math.min(client.part, math.floor(limit * wish.weight / (known + 1)))
    clients[name] = client
    kept, fair, parts = kept + client.kept, fair + client.fair, parts + client.part
    if name ~= others then
      count = count + 1
    end
  end
  return {
    end_us = end_us,
    until_us = until_us,
    span_us = span_us,
    total = 0,
    kept = kept,
    fair = fair,
    parts = parts,
    known = known,
    asking = 0,
    clients = clients,
    count = count,
  }
end

-- Makes a running window that other numbers have opened last as long as a charge needs it.
local function lengthen(window, at)
  local window_us, usual_us = ARGV[at + 1] + 0, ARGV[at + 2] + 0
  local end_us, span_us = lasting(window.end_us, window.span_us, now_us + window_us, window_us, usual_us)
  if end_us ~= window.end_us then
    window.end_us, window.span_us, window.until_us, window.longer = end_us, span_us, end_us + window_us, true
  end
end

-- Reads and repairs what is stored: answers the window and the texts of a client and of the others; false where nothing is stored, nil
-- and the reply where it is no such state.
local function read(key, at, name)
  local texts = redis.pcall('HMGET', key, 'w', name, others)
  if texts.err then
    return nil, texts
  end
  if not texts[1] then
    if redis.call('HLEN', key) > 0 then
      return nil, texts
    end
    return false
  end
  local window = read_window(texts[1])
  if not window then
    return nil, texts[1]
  end
  local own_us = now_us + ARGV[at + 1]
  local end_us = repaired_end(window.end_us, own_us + slip_us, own_us, ARGV[at + 2] ~= '0', window.span_us)
  if end_us ~= window.end_us then
    window.end_us, window.until_us = end_us, end_us + ARGV[at + 1]
    redis.call('HSET', key, 'w', window_text(window))
    live(key, window.until_us - now_us)
  end
  return window, texts[2], texts[3]
end

-- A call's window, the client in it and the client's field; nil and the reply where the key holds no such state.
local function see(key, at)
  local limit, most = ARGV[at] + 0, ARGV[at + 4] + 0
  local name = '=' .. ARGV[at + 5]
  local window, text, others_text = read(key, at, name)
  if window == nil then
    return nil, text
  end
  local seen = { name = name, weight = ARGV[at + 3] + 0, window = window, stored = window }
  if window and window.end_us > now_us then
    if not text and redis.call('HLEN', key) - (others_text and 2 or 1) >= most then
      seen.name, text = others, others_text
    end
    seen.client = read_client(text)
  else
    local wishes, window_us = {}, ARGV[at + 1] + 0
    if window then
      wishes, seen.fields = read_wishes(key, limit)
      if window.until_us <= now_us then
        wishes = {}
      end
    end
    local end_us = now_us + window_us
    window = open_window(wishes, limit, end_us, end_us + window_us, ARGV[at + 2] ~= '0' and window_us or nil)
    if not window.clients[name] and window.count >= most then
      seen.name = others
    end
    seen.client, seen.window, seen.opens = window.clients[seen.name], window, true
  end
  if seen.name == others then
    seen.weight = 1
  end
  seen.client = seen.client or new_client(seen.weight)
  return seen
end

-- Units of others' parts that they have not used.
local function others_part(window, client)
  return window.parts - rest_of(client.part, client)
end

-- What is left for a client. Up to its fair share, or that of a new client, it gets what is not kept for others; from there to its part
-- what is not in others' fair shares; and beyond its part what is in nobody's part.
local function left_for(window, client, limit, weight)
  local used, room = client.used, limit - window.total
  local share = math.max(client.fair, 1, math.floor(limit * weight / (window.known + 1)))
  return math.max(
    0,
    math.min(share - used, room - window.kept + rest_of(client.kept, client)),
    math.min(client.part - used, room - window.fair + rest_of(client.fair, client)),
    room - others_part(window, client)
  )
end

-- The weight of the others that have asked in the window.
local function others_asking(seen)
  return seen.window.asking - (seen.client.asked > 0 and seen.client.weight or 0)
end

-- How long until the same cost is allowed, if nobody else asks meanwhile: until the next window, or until nothing is known of others.
local function wait_of(key, at, seen, cost)
  local limit = ARGV[at] + 0
  local window, client, weight = seen.window, seen.client, seen.weight
  local share = math.floor(limit * weight / (others_asking(seen) + weight + 1))
  if cost <= math.max(1, share) then
    return window.end_us - now_us
  end
  -- A window that the call opens has no wishes yet.
  local wishes = seen.opens and {} or read_wishes(key, limit)
  wishes[seen.name] = { units = math.min(limit, math.max(client.asked + cost, client.used)), weight = weight }
  local next_one = open_window(wishes, limit)
  -- A client that is among the others may have its own field then, as a new client has.
  local seat, own_weight = '=' .. ARGV[at + 5], ARGV[at + 3] + 0
  if not next_one.clients[seat] and next_one.count >= ARGV[at + 4] + 0 then
    seat, own_weight = others, 1
  end
  local fits = cost <= left_for(next_one, next_one.clients[seat] or new_client(own_weight), limit, own_weight)
  return (fits and window.end_us or window.until_us) - now_us
end

-- How long until the client may take the whole limit, if nobody asks meanwhile.
local function reset_of(seen, taken, writes)
  local window, client = seen.window, seen.client
  if not seen.opens and others_asking(seen) > 0 then
    return window.until_us - now_us
  end
  -- A client that is among the others may have its own field in the next window, where a part is kept for what the others have asked for.
  if seen.name == others and (client.asked > 0 or writes) then
    return window.until_us - now_us
  end
  if window.total + taken == 0 and others_part(window, client) == 0 then
    return 0
  end
  if seen.opens and not writes then
    return seen.stored.until_us - now_us
  end
  return window.end_us - now_us
end

local function look(key, at, cost)
  local seen, reply = see(key, at)
  if not seen then
    return nil, reply
  end
  local limit = ARGV[at] + 0
  local left = left_for(seen.window, seen.client, limit, seen.weight)
  if cost <= left then
    if cost > 0 and not seen.opens then
      lengthen(seen.window, at)
    end
    return 0, 0, left - cost, 0, reset_of(seen, cost, cost > 0), seen
  end
  if cost > limit then
    return 3, 0, left, -1, reset_of(seen, 0, false), seen
  end
  return 1, 0, left, wait_of(key, at, seen, cost), reset_of(seen, 0, true), seen
end

-- Counts what a client took and asked for; its weight is that of its latest call.
local function count(seen, taken, asked)
  local window, client = seen.window, seen.client
  if asked ~= 0 then
    local before = client.asked > 0 and client.weight or 0
    client.asked = math.max(0, client.asked + asked)
    client.weight = seen.weight
    window.asking = window.asking + (client.asked > 0 and client.weight or 0) - before
  end
  local kept, fair, parts = rest_of(client.kept, client), rest_of(client.fair, client), rest_of(client.part, client)
  client.used = client.used + taken
  window.total = math.max(0, window.total + taken)
  window.kept = window.kept + rest_of(client.kept, client) - kept
  window.fair = window.fair + rest_of(client.fair, client) - fair
  window.parts = window.parts + rest_of(client.part, client) - parts
end

-- Writes first and deletes then: a server without memory refuses a write only as long as the script has written nothing.
local function write(key, seen, call)
  local window, client = seen.window, seen.client
  local values = { 'w', window_text(window), seen.name, client_text(client) }
  if not seen.opens then
    local reply = call('HSET', key, unpack(values))
    if window.longer then
      live(key, window.until_us - now_us)
    end
    return reply
  end
  for name, each in pairs(window.clients) do
    if name ~= seen.name then
      values[#values + 1] = name
      values[#values + 1] = client_text(each)
    end
  end
  local reply = call('HSET', key, unpack(values))
  if type(reply) == 'table' and reply.err then
    return reply
  end
  window.clients[seen.name] = client
  local gone = {}
  for _, field in ipairs(seen.fields or {}) do
    if field ~= 'w' and not window.clients[field] then
      gone[#gone + 1] = field
    end
  end
  if #gone > 0 then
    redis.call('HDEL', key, unpack(gone))
  end
  live(key, window.until_us - now_us)
end

local function take(key, at, cost, seen)
  count(seen, cost, cost)
  write(key, seen, redis.call)
  return string.format('%.0f:%s', seen.window.end_us, seen.name)
end

-- A server that cannot write refuses all the same. Of what is asked for beyond the limit only one unit is stored, so that a noisy client
-- does not cause writes for ever. That unit shows that the client was refused, should it give back all that it has used.
local function refuse(key, at, cost, seen)
  local asked = math.min(cost, ARGV[at] + math.min(seen.client.used, 1) - seen.client.asked)
  if asked > 0 then
    count(seen, 0, asked)
    write(key, seen, redis.pcall)
  end
end

local function charge(key, at, units)
  local seen = see(key, at)
  if seen then
    if not seen.opens then
      lengthen(seen.window, at)
    end
    count(seen, units, 0)
    write(key, seen, redis.call)
  end
end

-- Gives back only into the window that was charged, and only to its client.
local function give(key, at, units, receipt)
  local charged_us, name = string.match(receipt, '^(%d+):(.*)$')
  if not charged_us then
    return
  end
  local window, text = read(key, at, name)
  local client = window and window.end_us > now_us and window.end_us == charged_us + 0 and read_client(text)
  if client and client.used > 0 then
    local given = math.min(units, client.used)
    local seen = { window = window, client = client, name = name, weight = client.weight }
    count(seen, -given, -given)
    write(key, seen, redis.call)
  end
end

-- Makes room for all clients, as it is not known whose units they were.
local function reward(key, at, units)
  local window = read(key, at, others)
  if window and window.end_us > now_us then
    window.total = math.max(0, window.total - units)
    redis.call('HSET', key, 'w', window_text(window))
  end
end
