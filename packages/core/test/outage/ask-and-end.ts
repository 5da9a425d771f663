import { createLimiter, fixedWindow, type RedisOptions, redisStore } from '../../src/index.ts'

const silent = { warn() {}, error() {} }

/** A program that asks, closes, prints when, and has nothing left to do then. */
async function run(options: RedisOptions): Promise<void> {
  const store = redisStore(options)
  const limiter = createLimiter({ store, policy: fixedWindow({ limit: 3, window: '1h' }), logger: silent })
  await limiter.check('bob')
  await limiter.close()
  await store.close()
  process.stdout.write(String(Date.now()))
}

const [, , options] = process.argv
if (options !== undefined) void run(JSON.parse(options) as RedisOptions) // the test gives them
