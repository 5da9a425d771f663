-- A reply about the group. Where there is no group: an empty one, and true. take.lua makes the group anew.
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
