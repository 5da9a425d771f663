-- The ticket and the job of an entry of the stream; empty texts where somebody else wrote it.
local function contents_of(entry)
  local ticket, job = '', ''
  for i = 1, #entry[2], 2 do
    if entry[2][i] == 't' then
      ticket = entry[2][i + 1]
    elseif entry[2][i] == 'j' then
      job = entry[2][i + 1]
    end
  end
  return ticket, job
end
