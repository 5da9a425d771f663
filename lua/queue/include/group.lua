-- A reply about the group; empty where there is none: whoever takes makes it anew.
local function of_group(...)
  local reply = redis.pcall(...)
  if type(reply) ~= 'table' or not reply.err then
    return reply or {}
  end
  if string.find(reply.err, 'NOGROUP', 1, true) or string.find(reply.err, 'no such key', 1, true) then
    return {}, true
  end
  error(reply.err)
end
