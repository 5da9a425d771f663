import { createLimiter, slidingWindowLog } from '../../src/index.ts'
import { openStore } from './opened.ts'
import { type Client, keys, limit } from './start-settings.ts'

/** What a process prints that has asked from its first moment on. */
export interface Asked {
  /** By key. */
  readonly admitted: { readonly [key: string]: number }
  readonly sources: { readonly [source: string]: number }
  /** Why the store was missed. */
  readonly failures: readonly string[]
}

const connections = 64
const timesEach = 60

/** Busy without a break, as a process is just after its start. */
async function run(client: Client, url: string): Promise<void> {
  const { store, end } = openStore(client, url)
  const policy = slidingWindowLog({ limit, window: '1h' })
  const failures: string[] = []
  const limiter = createLimiter({
    store,
    policy,
    logger: { warn() {}, error() {} },
    observers: [{ storeFailed: ({ kind, error }) => failures.push(`${kind}: ${error?.message}`) }],
  })
  const admitted: { [key: string]: number } = {}
  const sources: { [source: string]: number } = {}
  async function askOften(nth: number): Promise<void> {
    for (let i = 0; i < timesEach; i++) {
      const key = keys[(nth + i) % keys.length] ?? ''
      const { allowed, source } = await limiter.check(key)
      if (allowed) admitted[key] = (admitted[key] ?? 0) + 1
      sources[source] = (sources[source] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: connections }, (_, nth) => askOften(nth)))
  await limiter.close()
  await end()
  const asked: Asked = { admitted, sources, failures }
  process.stdout.write(JSON.stringify(asked))
}

const [, , client, url] = process.argv
if (url !== undefined) void run(client as Client, url) // the test gives one of them
