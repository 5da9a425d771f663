import { describe, expect, it } from '@jest/globals'
import { manualClock } from '@sluice/testing'
import fc from 'fast-check'
import { createLimiter, type Decision, defineStrategy, memoryStore, type Store } from '../../src/index.ts'
import { guard } from '../../src/resilience/guard.ts'
import { readGuardOptions } from '../../src/resilience/guard-options.ts'

const silent = { warn() {}, error() {} }
/** Far below the number of stored keys, and no less than what a fixed number of looks amounts to. */
const mostVisits = 300

let visits = 0
let copies = 0

interface Options {
  limit: number
  windowUs: number
}

/** A fixed window that counts how often a stored key is looked at. */
const counted = defineStrategy({
  name: 'counted',
  can: ['refund', 'penalize'] as const,
  parse: (options: Options) => options,
  limitOf: ({ limit }) => limit,
  look({ limit, windowUs }, state: { used: number; endUs: number } | undefined, nowUs, cost) {
    visits++
    const runs = state !== undefined && state.endUs > nowUs
    const used = runs ? state.used : 0
    const endUs = runs ? state.endUs : nowUs + windowUs
    const allowed = cost === 0 || used + cost <= limit
    const taken = allowed ? used + cost : used
    const remaining = Math.max(0, limit - taken)
    const retryAfterUs = allowed ? 0 : endUs - nowUs
    return { allowed, limit, remaining, retryAfterUs, resetAfterUs: endUs - nowUs, endUs, used: used + cost }
  },
  take(_state, { used, endUs }) {
    return {
      endUs,
      get used() {
        copies++
        return used
      },
    }
  },
  receipt: ({ endUs }) => endUs,
  give: (state, units) => ({ endUs: state.endUs, used: Math.max(0, state.used - units) }),
  idleUs(_numbers, { endUs }, nowUs) {
    visits++
    return endUs - nowUs
  },
})

const twice = counted({ limit: 2, windowUs: 3600e6 })
const often = counted({ limit: 1_000_000, windowUs: 3600e6 })

/** A store that never answers, so that its guard counts in this process. */
function away(): Store {
  const fail = () => Promise.reject(new Error('away'))
  return { name: 'away', answer: fail, adjust: fail, manage: fail, ready: fail, close: async () => {} }
}

const stores: readonly (readonly [
  string,
  (maxKeys: number) => { clock: ReturnType<typeof manualClock>; store: Store },
])[] = [
  [
    'memory',
    (maxKeys) => {
      const clock = manualClock()
      return { clock, store: memoryStore({ maxKeys, clock }) }
    },
  ],
  [
    'the fallback',
    (maxKeys) => {
      const clock = manualClock()
      return { clock, store: guard(away(), readGuardOptions({ maxKeys }), clock) }
    },
  ],
]

async function visitsOf(work: () => Promise<unknown>): Promise<number> {
  visits = 0
  await work()
  return visits
}

describe.each(stores)('%s, full of exhausted keys,', (_name, make) => {
  const maxKeys = 3000

  async function full() {
    const { store, clock } = make(maxKeys)
    const limiter = createLimiter({ name: 'twice', policy: twice, store, logger: silent })
    const other = createLimiter({ name: 'often', policy: often, store, logger: silent })
    const taken: Decision[] = []
    for (let i = 0; i < maxKeys; i++) {
      await limiter.check(`key ${i}`)
      taken.push(await limiter.check(`key ${i}`))
    }
    return { store, clock, limiter, other, taken }
  }

  it('lets no new key walk through them, whatever was given back before it', async () => {
    const { limiter, other, taken } = await full()
    for (let i = 0; i < 50; i++) await limiter.penalize(`key ${i}`, 1)
    let most = 0
    for (let i = 0; i < 50; i++) {
      // One unit back, and one too many still: the key stays exhausted.
      most = Math.max(most, await visitsOf(async () => taken[i]?.refund()))
      most = Math.max(most, await visitsOf(() => other.check(`new ${i}`)))
    }
    expect(most).toBeLessThan(mostVisits)
  })

  it('bounds the looks of every call, whatever comes in whichever order', async () => {
    const { clock, limiter, other, taken } = await full()
    const some = fc.nat(maxKeys + 500)
    const acts = fc.oneof(
      some.map((i) => () => limiter.check(`key ${i}`)),
      some.map((i) => () => other.check(`other ${i}`)),
      some.map((i) => async () => taken[i]?.refund()),
      some.map((i) => () => limiter.penalize(`key ${i}`, 1)),
      some.map((i) => () => limiter.penalize(`key ${i}`, { wait: '2h' })),
      some.map((i) => () => limiter.block(`key ${i}`, '30m').catch(() => {})),
      some.map((i) => () => limiter.unblock(`key ${i}`).catch(() => {})),
      some.map((i) => () => limiter.reset(`key ${i}`).catch(() => {})),
      fc.nat(1_200_000).map((ms) => () => clock.advance(ms)),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(acts, { minLength: 100, maxLength: 200 }), async (all) => {
        for (const act of all) expect(await visitsOf(act)).toBeLessThan(mostVisits)
      }),
      { numRuns: 20 },
    )
  })
})

describe('keys that share one count', () => {
  it('make no copy of it for a refusal', async () => {
    const limiter = createLimiter({ policy: twice, store: memoryStore({ maxKeys: 1 }), logger: silent })
    for (const key of ['a', 'a', 'b', 'c', 'd']) await limiter.check(key)
    copies = 0
    for (let i = 0; i < 100; i++) expect((await limiter.check(`unknown ${i}`)).allowed).toBe(false)
    expect(copies).toBeLessThan(10)
  })
})
