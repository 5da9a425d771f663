import { createLimiter, fixedWindow } from '../../src/index.ts'
import { openStore } from './opened.ts'
import type { Client } from './start-settings.ts'

/** What a process prints that stands still now and then while it asks. */
export interface Paused {
  readonly sources: { readonly [source: string]: number }
  readonly failures: readonly string[]
}

const pauseMs = 300
const pauses = 8
const connections = 64

function standStill(): void {
  const until = performance.now() + pauseMs
  while (performance.now() < until);
}

async function run(client: Client, url: string): Promise<void> {
  const { store, end } = openStore(client, url)
  const policy = fixedWindow({ limit: 1_000_000, window: '1h' })
  const failures: string[] = []
  const limiter = createLimiter({
    store,
    policy,
    logger: { warn() {}, error() {} },
    observers: [{ storeFailed: ({ kind, error }) => failures.push(`${kind}: ${error?.message}`) }],
  })
  const sources: { [source: string]: number } = {}
  let over = false
  async function askOnce(key: string): Promise<void> {
    const { source } = await limiter.check(key)
    sources[source] = (sources[source] ?? 0) + 1
  }
  async function ask(nth: number): Promise<void> {
    while (!over) {
      await askOnce(`key ${nth}`)
      // As requests come: not all in one turn.
      await new Promise((resolve) => setTimeout(resolve, nth % 10))
    }
  }
  const asking = Array.from({ length: connections }, (_, nth) => ask(nth))
  for (let i = 0; i < pauses; i++) {
    await new Promise((resolve) => setTimeout(resolve, 150))
    // Some have just asked, and with node-redis nothing of that is sent yet.
    for (let nth = 0; nth < 5; nth++) asking.push(askOnce('late'))
    standStill()
  }
  over = true
  await Promise.all(asking)
  await limiter.close()
  await end()
  const paused: Paused = { sources, failures }
  process.stdout.write(JSON.stringify(paused))
}

const [, , client, url] = process.argv
if (url !== undefined) void run(client as Client, url) // the test gives one of them
