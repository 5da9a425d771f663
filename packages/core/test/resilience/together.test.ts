import { describe, expect, it } from '@jest/globals'
import { manualClock } from '@sluice/testing'
import {
  createLimiter,
  fixedWindow,
  gcra,
  memoryStore,
  type Policy,
  type Store,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
  uniform,
} from '../../src/index.ts'
import { guard } from '../../src/resilience/guard.ts'
import { readGuardOptions } from '../../src/resilience/guard-options.ts'

/** A process and a server that answers later than it is asked, and can be away. */
function processOn(policy: Policy<'penalize'>) {
  const clock = manualClock()
  const counts = memoryStore({ clock })
  const server = { away: false }
  const slow: Store = {
    name: 'server',
    answer: async (question) => {
      if (server.away) throw new Error('away')
      return counts.answer(question)
    },
    adjust: (changes) => counts.adjust(changes),
    manage: (command) => counts.manage(command),
    close: async () => {},
  }
  const quiet = { warn: () => {}, error: () => {} }
  const store = guard(slow, readGuardOptions({}), clock)
  const ask = createLimiter({ name: 'asked', policy, store, logger: quiet })
  return { server, ask, others: createLimiter({ name: 'asked', policy, store: counts, logger: quiet }) }
}

type Asked = ReturnType<typeof processOn>

async function admitted({ ask }: Asked, times: number): Promise<number> {
  const decisions = await Promise.all(Array.from({ length: times }, () => ask.check('k')))
  return decisions.filter(({ allowed }) => allowed).length
}

/** So many pass in an outage, after which the server knows nothing of them. */
async function outage(asked: Asked, times: number): Promise<void> {
  asked.server.away = true
  await asked.ask.check('somebody else')
  expect(await admitted(asked, times)).toBe(times)
  asked.server.away = false
}

describe('requests that are under way together after an outage', () => {
  // biome-ignore format: a table
  it.each<[string, Policy<'penalize'>]>([
    // strategy              policy
    ['slidingWindowLog',     slidingWindowLog({ limit: 5, window: '10s' })],
    ['slidingWindowCounter', slidingWindowCounter({ limit: 5, window: '10s' })],
    ['fixedWindow',          fixedWindow({ limit: 5, window: '10s' })],
    ['gcra',                 gcra({ count: 5, period: '10s' })],
    ['tokenBucket',          tokenBucket({ capacity: 5, count: 1, period: '2s' })],
  ])('find what is left once: %s', async (_name, policy) => {
    const asked = processOn(policy)
    await outage(asked, 4)
    expect(await admitted(asked, 3)).toBe(1)
  })

  it('hold nothing against a key that the server has refused', async () => {
    const asked = processOn(slidingWindowLog({ limit: 5, window: '10s' }))
    await outage(asked, 1)
    await asked.others.penalize('k', 4)
    expect((await asked.ask.check('k', { cost: 2 })).allowed).toBe(false)
    asked.server.away = true
    expect(await asked.ask.peek('k')).toMatchObject({ remaining: 4 })
  })

  it('are charged once where the server fails', async () => {
    const asked = processOn(slidingWindowLog({ limit: 5, window: '10s' }))
    await outage(asked, 1)
    asked.server.away = true
    expect(await asked.ask.check('k')).toMatchObject({ source: 'fallback', remaining: 3 })
  })

  it('are charged once where the server takes them', async () => {
    const asked = processOn(uniform({ interval: '10s' }))
    await outage(asked, 0)
    expect(await admitted(asked, 1)).toBe(1)
    asked.server.away = true
    expect(await asked.ask.check('k')).toMatchObject({ source: 'fallback', retryAfterMs: 10_000 })
  })
})
