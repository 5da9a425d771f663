-- An entry's number: one more for each that was accepted.
local function number_of(id)
  return tonumber(string.match(id, '%-(%d+)$'))
end

-- How many entries are handed out, and the id of the last one that ever was.
local function progress_of(entries)
  for _, group in ipairs(of_group('XINFO', 'GROUPS', entries)) do
    local name, handed_out, last_id
    for i = 1, #group, 2 do
      if group[i] == 'name' then
        name = group[i + 1]
      elseif group[i] == 'pending' then
        handed_out = group[i + 1]
      elseif group[i] == 'last-delivered-id' then
        last_id = group[i + 1]
      end
    end
    if name == 'g' then
      return handed_out, last_id
    end
  end
  return 0, '0-0'
end
