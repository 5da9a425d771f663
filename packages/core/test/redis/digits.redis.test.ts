import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { socket } from '@sluice/faults/redis-socket'
import { Redis } from 'ioredis'
import { loadLua, luaTexts } from '../../src/redis/lua.ts'

let client: Redis

beforeAll(async () => {
  client = new Redis({ path: socket })
  await loadLua()
})

afterAll(() => client.disconnect())

/** What `%d` makes of a number that is too large for a server of 32 bits. */
const as32Bits = `
local whole = string.format
local string = setmetatable({ format = function(form, ...)
  if form == '%d' and ... >= 2 ^ 31 then return '-2147483648' end
  return whole(form, ...)
end }, { __index = string })
`

const instants = [
  '1000000000000000',
  '1795946853048205',
  '1796000000000000',
  '1796000000000009',
  '9007199254740991',
]

it.each([
  ['64', ''],
  ['32', as32Bits],
])('an instant has all its digits on a server of %s bits', async (_bits, before) => {
  const text = `${before}${luaTexts().include.digits}
    local texts = {}
    for i, instant in ipairs(ARGV) do texts[i] = digits(instant + 0) end
    return texts`
  expect(await client.eval(text, 0, ...instants)).toEqual(instants)
})
