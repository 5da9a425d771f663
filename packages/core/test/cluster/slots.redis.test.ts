import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { propertyTimeoutMs, runs } from '@sluice/conformance/internal'
import { RedisProcess } from '@sluice/faults/outage'
import fc from 'fast-check'
import { Redis } from 'ioredis'
import { slotOf } from '../../src/redis/slot.ts'

let server: RedisProcess
let client: Redis
beforeAll(async () => {
  server = await RedisProcess.prepareForCluster()
  await server.start()
  client = new Redis(server.url)
})
afterAll(() => {
  client.disconnect()
  return server.end()
})

const names = fc.array(
  fc.oneof(fc.constantFrom('{', '}', '{}', '}{', ':', '%7b', 'é', '字', '🐅', '\u0000'), fc.string()),
  {
    maxLength: 8,
  },
)

describe('the slot of a key', () => {
  it(
    'is the one that the server says, whatever braces the key has',
    () =>
      fc.assert(
        fc.asyncProperty(names, async (parts) => {
          const name = parts.join('')
          expect(slotOf(name)).toBe(Number(await client.cluster('KEYSLOT', name)))
        }),
        runs(500),
      ),
    propertyTimeoutMs,
  )

  // biome-ignore format: a table
  it.each([
    // of one      and of another       are the same
    ['{bob}',      'bob',               true],
    ['a{bob}c',    'x{bob}y{carol}',    true],
    ['{}bob',      'bob',               false],
    ['{}{bob}',    'bob',               false],
    ['{bob',       'bob',               false],
    ['}{bob}',     'bob',               true],
    ['{{bob}}',    '{bob',              true],
  ])('%s lies with %s: %s', (one, other, same) => {
    expect(slotOf(one) === slotOf(other)).toBe(same)
  })
})
