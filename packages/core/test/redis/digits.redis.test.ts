import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
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

const numbers = ['0', '1', '999', '2147483647', '2147483648', '6000000000', '99999999999', ...instants]

describe.each([
  ['64', ''],
  ['32', as32Bits],
])('on a server of %s bits', (_bits, before) => {
  /** What this function of the scripts makes of the numbers. */
  const texts = (name: 'digits' | 'whole', numbers: readonly string[]) => {
    const text = `${before}${luaTexts().include[name]}
      local texts = {}
      for i, number in ipairs(ARGV) do texts[i] = ${name}(number + 0) end
      return texts`
    return client.eval(text, 0, ...numbers)
  }

  it('an instant has all its digits', async () => {
    expect(await texts('digits', instants)).toEqual(instants)
  })

  it('a whole number has all its digits, and no others', async () => {
    expect(await texts('whole', numbers)).toEqual(numbers)
  })
})
