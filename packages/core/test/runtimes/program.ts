import { concurrency, createLimiter, fixedWindow, gcra, type RedisClient, redisStore } from '@sluice/core'
import { Redis } from 'ioredis'
import { createClient } from 'redis'

/** What the program prints before the server ends. */
export interface Seen {
  readonly allowed: number
  readonly sources: readonly string[]
  readonly summary: unknown
  readonly held: number
}

/** What a test says to it. */
export interface Told {
  readonly client: 'a URL' | 'ioredis' | 'node-redis' | 'REST'
  readonly url: string
  readonly rest: { readonly url: string; readonly token: string }
  /** Begins all names. */
  readonly name: string
}

async function connect({ client, url, rest }: Told): Promise<{ redis: RedisClient; end: () => unknown }> {
  switch (client) {
    case 'a URL':
      return { redis: url, end: () => {} }
    case 'REST':
      return { redis: rest, end: () => {} }
    case 'ioredis': {
      const own = new Redis(url)
      own.on('error', () => {})
      return { redis: own, end: () => own.disconnect() }
    }
    case 'node-redis': {
      const own = createClient({ url })
      own.on('error', () => {})
      await own.connect()
      return { redis: own, end: () => own.destroy() }
    }
  }
}

async function run(told: Told): Promise<void> {
  const { name } = told
  const { redis, end } = await connect(told)
  const logger = { warn() {}, error() {} }
  // What is tried is whether it answers, however busy the machine is.
  const store = redisStore(redis, { deadline: '2s', connectDeadline: '10s' })
  const policies = {
    hourly: fixedWindow({ limit: 5, window: '1h' }),
    steady: gcra({ count: 9, period: '1h' }),
  }
  const limiter = createLimiter({ name, store, policies, logger })
  await limiter.ready()
  const decisions = await Promise.all(Array.from({ length: 20 }, () => limiter.check('alice')))
  const places = createLimiter({ name: `${name} places`, store, policy: concurrency({ limit: 2 }), logger })
  let held = 0
  const hold = () => places.run('alice', async () => void held++, { maxWait: '10s' })
  await Promise.all(Array.from({ length: 5 }, hold))
  say({
    allowed: decisions.filter((decision) => decision.allowed).length,
    sources: [...new Set(decisions.map((decision) => decision.source))],
    summary: decisions[0]?.summary,
    held,
  })
  // The test ends the server, and starts it again.
  let key = 0
  const source = async () => (await limiter.check(`key ${key++}`)).source
  while ((await source()) !== 'fallback') await pause()
  say('away')
  while ((await source()) !== 'redis') await pause()
  say('back')
  await places.close()
  await limiter.close()
  await store.close()
  await end()
}

/** A line for the test. */
function say(what: Seen | 'away' | 'back'): void {
  console.log(JSON.stringify(what))
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20))
}

const told = JSON.parse(process.argv[2] ?? '') as Told // the test's own
await run(told)
