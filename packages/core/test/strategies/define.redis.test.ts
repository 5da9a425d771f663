import { randomBytes } from 'node:crypto'
import { afterAll, describe, expect, it } from '@jest/globals'
import { everyNthAnywhere } from '@sluice/conformance/internal'
import { createLimiter, notApplicable, slidingWindowLog } from '../../src/index.ts'
import { realStore } from '../redis/real-store.ts'

const { store, client } = realStore()
afterAll(() => client.disconnect())

describe('a strategy of one’s own with a Lua half', () => {
  it('decides on Redis, alone and beside others, with a life on its keys', async () => {
    const key = randomBytes(6).toString('hex')
    const policies = {
      nth: everyNthAnywhere({ n: 3, forget: 60_000 }),
      log: slidingWindowLog({ limit: 9, window: '1m' }),
    }
    const limiter = createLimiter({ name: 'own', store, policies })
    const seen: unknown[] = []
    for (let i = 0; i < 3; i++) {
      const { allowed, verdicts } = await limiter.check(key)
      seen.push([allowed, verdicts.nth?.remaining, verdicts.log?.remaining])
    }
    expect(seen).toEqual([
      // allowed, left of its own, of the log
      [true, 1, 8],
      [true, 0, 7],
      [false, 0, 7],
    ])
    expect(await limiter.check({ nth: key, log: notApplicable })).toMatchObject({
      allowed: false,
      retryAfterMs: 60_000,
    })
    expect(await client.pttl(`sl3:{${key}}:own:nth:every nth%3a %7bmine%7d`)).toBeGreaterThan(50_000)
  })

  it('cannot give back, and that is no failure of the store', async () => {
    const policy = everyNthAnywhere({ n: 3, forget: 60_000 })
    const limiter = createLimiter({ name: 'own, alone', store, policy })
    const key = randomBytes(6).toString('hex')
    const decision = await limiter.check(key)
    await decision.refund()
    expect((await limiter.peek(key)).remaining).toBe(1)
    // A decision keeps failures to itself, the store does not.
    const id = 'own, alone:every nth%3a %7bmine%7d'
    const check = {
      id,
      policy,
      key,
      cost: 1,
      note: undefined,
      shadow: false,
      onStoreFailure: 'local' as const,
    }
    const changes = [{ check, receipt: 1, byUnits: -1 }]
    await expect(store.adjust(changes)).resolves.toBeUndefined()
  })
})
