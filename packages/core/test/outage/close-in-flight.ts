import { once } from 'node:events'
import { createLimiter, fixedWindow, redisStore } from '../../src/index.ts'

/** What a program prints that closes its store while requests are under way, and has nothing left to do then. */
export interface Closed {
  readonly sources: readonly string[]
  readonly doneAtMs: number
}

/** Says when it is ready; whatever it then reads lets it go on. */
async function run(url: string): Promise<void> {
  const store = redisStore(url)
  const policy = fixedWindow({ limit: 3, window: '1h' })
  const limiter = createLimiter({ store, policy, logger: { warn() {}, error() {} } })
  await limiter.check('bob')
  process.stdout.write('ready')
  await once(process.stdin, 'data')
  process.stdin.destroy()
  const asked = Array.from({ length: 5 }, () => limiter.check('bob'))
  await limiter.close()
  await store.close()
  const closed: Closed = {
    sources: (await Promise.all(asked)).map(({ source }) => source),
    doneAtMs: Date.now(),
  }
  process.stdout.write(JSON.stringify(closed))
}

const [, , url] = process.argv
if (url !== undefined) void run(url)
