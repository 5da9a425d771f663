import { setTimeout } from 'node:timers/promises'
import { afterAll, expect, test } from '@jest/globals'
import { createLimiter, defineStrategy, redisStore } from '@sluice/core'
import { socket } from '@sluice/faults/redis-socket'
import { Redis } from 'ioredis6'
import { blocksOf, page } from './pages.ts'

const client = new Redis({ path: socket })
afterAll(() => client.disconnect())

test('the strategy that lua/README.md shows does what it says', async () => {
  const [block] = blocksOf(page('lua/README.md')).filter(({ info }) => info === 'lua')
  const never = () => {
    throw new Error('only its Lua half is here')
  }
  const turnstile = defineStrategy({
    name: 'turnstile',
    can: [],
    parse: ({ interval }: { interval: number }) => ({ intervalUs: interval * 1000 }),
    limitOf: () => 1,
    look: never,
    take: never,
    idleUs: never,
    redis: { encode: ({ intervalUs }) => [intervalUs], lua: block?.code ?? '' },
  })
  const limiter = createLimiter({
    name: 'lua',
    policy: turnstile({ interval: 2000 }),
    store: redisStore(client, { deadline: '20s', connectDeadline: '20s' }),
  })
  try {
    await limiter.ready()
    await limiter.reset('bob')
    // The first may come at the very end of an interval, the second never: it passes with the third right behind it.
    await limiter.check('bob')
    const { resetAfterMs } = await limiter.peek('bob')
    await setTimeout(resetAfterMs + 1)
    const second = await limiter.check('bob')
    const third = await limiter.check('bob')
    expect(second).toMatchObject({ allowed: true, remaining: 0, source: 'redis' })
    expect(third).toMatchObject({ allowed: false, reason: 'limited', remaining: 0, limit: 1 })
    expect(third.retryAfterMs).toBeLessThanOrEqual(2000)
  } finally {
    await limiter.close()
  }
})
