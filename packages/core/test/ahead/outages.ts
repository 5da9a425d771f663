import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { type FailureChoice, gcra, type Limiter, type Policy, slidingWindowLog } from '../../src/index.ts'
import { FarServer, type Manner, pass } from './far-server.ts'
import { seeded } from './virtual.ts'

const limit = 400
const windowMs = 2000
const ahead = '100ms'
const forMs = 10_000
const processes = 3

interface Hot {
  readonly policy: Policy
  /** The most units in any time of so many ms. */
  most(ms: number): number
}

const hot: { readonly [strategy: string]: Hot } = {
  slidingWindowLog: {
    policy: slidingWindowLog({ limit, window: windowMs }),
    most: (ms) => limit * Math.ceil(ms / windowMs),
  },
  gcra: {
    policy: gcra({ count: limit, period: windowMs, burst: 199 }),
    most: (ms) => 200 + Math.floor((ms * limit) / windowMs),
  },
}

/** An admission: its unit was used at some instant from the question to the answer. */
interface Use {
  readonly process: number
  readonly fromMs: number
  readonly toMs: number
}

interface History {
  readonly uses: readonly Use[]
  /** When the server lost what it had. */
  readonly lossesMs: readonly number[]
  /** Decisions from units in hand. */
  readonly fromHand: number
}

const manners: readonly Manner[] = ['answers', 'refuses', 'hangs', 'loses replies']

/** Processes that ask for one key, of a server that fails, is slow, and loses what it had where `loses`. */
async function historyOf(
  policy: Policy,
  { choice, seed, loses }: { choice: FailureChoice; seed: number; loses: boolean },
): Promise<History> {
  const random = seeded(seed)
  const server = new FarServer()
  const uses: Use[] = []
  const lossesMs: number[] = []
  const endsMs = performance.now() + forMs

  function lose(): void {
    server.lose()
    server.cut()
    lossesMs.push(performance.now())
  }
  if (loses) setTimeout(lose, forMs / 2)
  function turn(): void {
    server.manner = random() < 0.5 ? 'answers' : (manners[Math.floor(random() * manners.length)] ?? 'answers')
    server.roundTripMs = random() < 0.8 ? 2 : random() * 150
    if (loses && random() < 0.2) lose()
    setTimeout(turn, 20 + random() ** 2 * 1500)
  }
  setTimeout(turn, random() * 2000)

  function ask(limiter: Limiter<{ hot: Policy }>, process: number, gapMs: number): void {
    const fromMs = performance.now()
    void limiter.check('hot').then(({ allowed }) => {
      if (allowed) uses.push({ process, fromMs, toMs: performance.now() })
    })
    if (performance.now() < endsMs)
      setTimeout(() => ask(limiter, process, gapMs), -Math.log(1 - random()) * gapMs)
  }
  const limiters = Array.from({ length: processes }, () =>
    server.process({ hot: policy }, { ahead, onStoreFailure: choice }),
  )
  for (const [i, limiter] of limiters.entries()) ask(limiter, i, 1 + random() ** 2 * 20)
  // A third of the time would go into the stacks of errors that nobody reads.
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  await pass(forMs + 500)
  Error.stackTraceLimit = stackTraceLimit
  const fromHand = limiters.reduce((sum, limiter) => sum + (limiter.health().ahead?.decisions ?? 0), 0)
  return { uses: uses.sort((a, b) => a.toMs - b.toMs), lossesMs, fromHand }
}

/** By how many more than `most` were certainly used within some time. */
function excessOf(uses: readonly Use[], most: (ms: number) => number): number {
  let excess = 0
  for (const ms of [100, 500, windowMs, 2 * windowMs]) {
    let first = 0
    const begins = uses.map(({ fromMs }) => fromMs)
    for (const [i, { toMs }] of uses.entries()) {
      while ((uses[first]?.toMs ?? toMs) <= toMs - ms) first++
      const count = begins.slice(first, i + 1).filter((fromMs) => fromMs > toMs - ms).length
      excess = Math.max(excess, count - most(ms))
    }
  }
  return excess
}

/** Of histories with these seeds. */
export function provesOutages(seeds: readonly number[]): void {
  describe('however the store fails while units are in hand,', () => {
    beforeEach(() => {
      jest.useFakeTimers()
    })
    afterEach(() => {
      jest.clearAllTimers()
      jest.useRealTimers()
    })
    const all = Object.keys(hot).flatMap((strategy) => seeds.map((seed) => [strategy, seed] as const))

    it.each(all)(
      'no process admits more than %s allows, though the store loses what it had (history %d)',
      async (strategy, seed) => {
        const { policy, most } = hot[strategy] as Hot // of its keys
        const { uses, fromHand } = await historyOf(policy, { choice: 'local', seed, loses: true })
        for (let process = 0; process < processes; process++) {
          const own = uses.filter((use) => use.process === process)
          expect({ process, excess: excessOf(own, most) }).toEqual({ process, excess: 0 })
        }
        expect(fromHand).toBeGreaterThan(limit / 4)
      },
    )

    it.each(all)(
      'all admit no more than %s allows where nobody is admitted without the store (history %d)',
      async (strategy, seed) => {
        const { policy, most } = hot[strategy] as Hot // of its keys
        const { uses, fromHand } = await historyOf(policy, { choice: 'deny', seed, loses: false })
        expect(excessOf(uses, most)).toBe(0)
        expect(fromHand).toBeGreaterThan(limit / 4)
      },
    )

    it.each(all)(
      'and no more than %s allows again for each time that the store loses what it had (history %d)',
      async (strategy, seed) => {
        const { policy, most } = hot[strategy] as Hot // of its keys
        const { uses, lossesMs } = await historyOf(policy, { choice: 'deny', seed, loses: true })
        // What was taken before a loss may be used for that time after it.
        const within = (toMs: number, ms: number) =>
          lossesMs.filter((atMs) => atMs > toMs - ms - 100 && atMs <= toMs).length
        const last = Math.max(...uses.map(({ toMs }) => within(toMs, 2 * windowMs)))
        expect(excessOf(uses, (ms) => most(ms) * (1 + last))).toBe(0)
      },
    )
  })
}
