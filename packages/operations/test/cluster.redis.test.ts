import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { createLimiter, gcra, redisStore } from '@sluice/core'
import { connectToCluster, RedisCluster, until } from '@sluice/faults'
import { operations, readOperations, rebuildLimiters } from '../src/index.ts'

const cluster = new RedisCluster()
beforeAll(() => cluster.start())
afterAll(() => cluster.end())

const logger = { warn() {}, error() {} }

it.each(['ioredis 6', 'node-redis 6'] as const)(
  'on a cluster a key is blocked from outside, through %s',
  async (name) => {
    const { client: redis, end } = await connectToCluster(name, cluster)
    const prefix = `${name.replace(' ', '')}:`
    const ops = operations({ redis, prefix, deadline: '20s' })
    const store = redisStore(redis, { prefix, refusalCache: 0, deadline: '20s', connectDeadline: '20s' })
    const policies = { visitor: gcra({ count: 5, period: '1h' }), pair: gcra({ count: 5, period: '1h' }) }
    const limiter = createLimiter({
      name: 'login',
      policies,
      store,
      tag: { pair: 1 },
      observers: [ops],
      logger,
    })
    const reader = readOperations({ redis, prefix })
    const isTold = async () => {
      await ops.ready()
      return (await reader.processes()).length === 1
    }
    await until(isTold, { what: 'the process' })
    const rebuilt = rebuildLimiters(await reader.processes(), redis)
    expect(rebuilt.left).toEqual([])
    await rebuilt.limiters[0]?.block(['org-7', 'alice'], '1h')
    for (const { blockedMs } of Object.values(await limiter.inspect(['org-7', 'alice'])))
      expect(blockedMs).toBeGreaterThan(3_500_000)
    await rebuilt.close()
    await reader.close()
    await limiter.close()
    await ops.close()
    await store.close()
    await end()
  },
)
