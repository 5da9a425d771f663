-- Who holds an entry, and how often it was handed out; nothing where it waits or has ended.
local function holder_of(entries, id)
  local pending = of_group('XPENDING', entries, 'g', id, id, 1)[1]
  if pending then
    return pending[2], pending[4]
  end
end
