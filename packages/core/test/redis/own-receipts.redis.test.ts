import { afterAll, expect, it } from '@jest/globals'
import { socket } from '@sluice/faults/redis-socket'
import { Redis } from 'ioredis'
import { createLimiter, defineStrategy, memoryStore, redisStore } from '../../src/index.ts'

const client = new Redis({ path: socket })
const stores = {
  memory: memoryStore(),
  redis: redisStore(client, { deadline: '20s', connectDeadline: '20s' }),
}
afterAll(async () => {
  await stores.redis.close()
  client.disconnect()
})

const minuteUs = 60_000_000
const lua = `
local function write(key, used)
  keep(key, string.format('%.0f', used), ${minuteUs})
end

local function look(key, at, cost)
  local used, limit = tonumber(fetch(key) or 0), ARGV[at] + 0
  if used + cost > limit then
    return 1, 0, limit - used, ${minuteUs}, ${minuteUs}
  end
  return 0, 0, limit - used - cost, 0, ${minuteUs}, used + cost
end

local function take(key, at, cost, used)
  write(key, used)
  return '@bob@example.org'
end

local function give(key, at, units, receipt)
  if receipt == '@bob@example.org' then
    write(key, tonumber(fetch(key)) - units)
  end
end
`

const named = defineStrategy({
  name: 'named',
  can: ['refund'],
  parse: ({ limit }: { limit: number }) => ({ limit }),
  limitOf: ({ limit }) => limit,
  look({ limit }, used: number | undefined = 0, _nowUs, cost) {
    const allowed = used + cost <= limit
    const times = { retryAfterUs: allowed ? 0 : minuteUs, resetAfterUs: minuteUs }
    return { allowed, limit, remaining: limit - used - (allowed ? cost : 0), ...times, used: used + cost }
  },
  take: (_state, { used }) => used,
  tellsCounts: () => true,
  receipt: () => '@bob@example.org',
  give: (used, units, _nowUs, { receipt }) => (receipt === '@bob@example.org' ? used - units : used),
  idleUs: () => minuteUs,
  redis: { encode: ({ limit }) => [limit], lua },
})

it.each(['memory', 'redis'] as const)(
  'in %s a receipt that tells counts apart by itself comes back whole, whatever it begins with',
  async (name) => {
    const limiter = createLimiter({
      name: `own-receipts-${process.pid}`,
      policy: named({ limit: 2 }),
      store: stores[name],
    })
    const decision = await limiter.check('bob')
    await decision.refund()
    expect(await limiter.peek('bob')).toMatchObject({ source: name, remaining: 2 })
  },
)
