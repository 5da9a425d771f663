import { afterAll, describe, expect, it } from '@jest/globals'
import { type Check, uniform } from '../../src/index.ts'
import { stateName } from '../../src/key.ts'
import { include } from '../../src/redis/lua.generated.ts'
import { checkOf, policies, question, realStore } from './real-store.ts'

const { store, client } = realStore()
afterAll(() => client.disconnect())

async function receiptOf(check: Check): Promise<string | number> {
  const rows = await store.answer(question(check))
  return rows[0]?.receipt ?? ''
}

/** Everything that can be done to a key, by name. */
async function operate(operation: string, check: Check): Promise<unknown> {
  switch (operation) {
    case 'check':
      return store.answer(question(check))
    case 'costly check':
      return store.answer(question({ ...check, cost: 50 }))
    case 'peek':
      return store.answer(question(check, false))
    case 'refund':
      return store.adjust([{ check, receipt: await receiptOf(check), byUnits: -1 }])
    case 'settle up':
      return store.adjust([{ check, receipt: await receiptOf(check), byUnits: 2 }])
    case 'penalize':
      return store.adjust([{ check, receipt: null, byUnits: 3 }])
    case 'reward':
    case 'reward all':
      await store.adjust([{ check, receipt: null, byUnits: 3 }])
      return store.adjust([
        { check, receipt: null, byUnits: operation === 'reward' ? -1 : -50, reward: true },
      ])
    case 'set':
      return store.manage({ op: 'set', check, units: 2 })
    case 'set to nothing':
      return store.manage({ op: 'set', check, units: 0 })
    case 'set behind a block':
      await store.manage({ op: 'block', check, us: 60_000_000 })
      return store.manage({ op: 'set', check, units: 2 })
    case 'block':
      return store.manage({ op: 'block', check, us: 60_000_000 })
    case 'block briefly': {
      await store.manage({ op: 'block', check, us: 1 })
      return store.answer(question(check))
    }
    case 'unblock':
      await store.manage({ op: 'block', check, us: 60_000_000 })
      return store.manage({ op: 'unblock', check })
    case 'inspect':
      await store.manage({ op: 'block', check, us: 60_000_000 })
      return store.manage({ op: 'inspect', check })
    default:
      throw new Error(operation)
  }
}

const operations = [
  'check',
  'costly check',
  'peek',
  'refund',
  'settle up',
  'penalize',
  'reward',
  'reward all',
  'set',
  'set to nothing',
  'set behind a block',
  'block',
  'block briefly',
  'unblock',
  'inspect',
]

describe('on the real clock', () => {
  it.each(operations)(
    'no key is left without a life, nor with a longer one than it needs, after: %s',
    async (operation) => {
      for (const policy of policies) {
        const check = checkOf(policy)
        for (const before of ['nothing', 'check']) {
          if (before === 'check') await operate('check', check)
          await operate(operation, check)
          const lifeMs = await client.pttl(stateName(check))
          const seen = { policy: policy.strategy, operation, before }
          // −2: there is no key. The longest: a bucket that starts empty, in debt by a minute.
          if (lifeMs !== -2) {
            expect({ ...seen, lives: lifeMs > 0 && lifeMs <= 4 * 3_600_000 + 60_000 }).toEqual({
              ...seen,
              lives: true,
            })
          }
        }
      }
    },
  )

  it.each(policies)('a life is that of the state: $strategy', async (policy) => {
    const check = checkOf(policy)
    const rows = await store.answer(question(check))
    const [row] = rows ?? []
    const lifeMs = await client.pttl(stateName(check))
    if (row?.allowed === true) {
      // What a window was asked for is what the next one is divided by.
      const laterMs = policy.strategy === 'fairShare' ? (policy.windowMs ?? 0) : 0
      const dueMs = Math.ceil(row.resetAfterUs / 1000) + laterMs
      expect(lifeMs).toBeLessThanOrEqual(dueMs)
      expect(lifeMs).toBeGreaterThan(dueMs - 2000)
    } else {
      // Empty at first: kept for twice the time it takes to fill.
      expect(lifeMs).toBeGreaterThan(4 * 3_600_000 - 2000)
    }
  })

  // biome-ignore format: a table
  it.each([
    // µs to live   ms that the server gets
    [-5,            1],
    [0,             1],
    [1,             1],
    [999,           1],
    [1000,          1],
    [1001,          2],
    [31_622_400e6,  31_622_400_000],
  ])('a life of %d µs is %d ms', async (lifeUs, ms) => {
    const { time = '', expiry = '' } = include
    // In place of the server, as a life is shorter by what its reading took.
    const noted = 'local said\nlocal redis = { call = function(_, _, ms) said = ms end }\n'
    const saved = "local us = tonumber(ARGV[1])\nsave('', '', us)\nreturn { life_ms(us), tonumber(said) }"
    expect(await client.eval(`${time}${noted}${expiry}${saved}`, 0, lifeUs)).toEqual([ms, ms])
  })

  it('speaks of the server’s own time', async () => {
    const check = checkOf(uniform({ interval: '1h' }))
    const [seconds = 0, us = 0] = (await client.time()).map(Number)
    await store.answer(question(check))
    const opensUs = Number(await client.get(stateName(check)))
    const afterUs = opensUs - 3_600_000_000 - (seconds * 1e6 + us)
    expect(afterUs).toBeGreaterThanOrEqual(0)
    expect(afterUs).toBeLessThan(5_000_000)
  })
})
