import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals'
import { RedisProcess } from '@sluice/faults'
import { createLimiter, redisStore, slidingWindowLog } from '../../src/index.ts'

jest.setTimeout(20_000)

const limit = 20
const processes = 2
const server = RedisProcess.prepare()
const stores: ReturnType<typeof redisStore>[] = []
beforeAll(async () => (await server).start())
afterAll(async () => {
  for (const store of stores) await store.close()
  await (await server).end()
})

const elapse = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe('a server that hangs a little longer than the deadline', () => {
  it('answers later requests after earlier ones were answered without it: no more than a limit for each process', async () => {
    const hanging = await server
    const limiters = Array.from({ length: processes }, () => {
      const store = redisStore(hanging.url)
      stores.push(store)
      return createLimiter({
        store,
        policy: slidingWindowLog({ limit, window: '1h' }),
        logger: { warn() {}, error() {} },
      })
    })
    for (const limiter of limiters) {
      await limiter.ready()
      await limiter.check('warm')
    }
    const askAll = () =>
      limiters.flatMap((limiter) => Array.from({ length: limit }, () => limiter.check('bob')))
    hanging.hang()
    const first = askAll()
    await elapse(60)
    const second = askAll()
    await Promise.race(first)
    hanging.goOn()
    const decisions = await Promise.all([...first, ...second])
    expect(decisions.filter(({ source }) => source === 'fallback')).not.toEqual([])
    expect(decisions.filter(({ allowed }) => allowed).length).toBeLessThanOrEqual(processes * limit)
  })
})
