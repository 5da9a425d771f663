import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { createLimiter, fixedWindow, type Limiter, type Observed } from '../../src/index.ts'
import { FarServer, pass } from './far-server.ts'

const limit = 500
const policies = { own: fixedWindow({ limit, window: '1h' }) }
const quiet = { warn: () => {}, error: () => {} }
type One = Limiter<typeof policies>

let server: FarServer
beforeEach(() => {
  jest.useFakeTimers()
  server = new FarServer()
})
afterEach(() => {
  jest.clearAllTimers()
  jest.useRealTimers()
})

/** Two limiters of one name in one process; the first has asked 20 times and has units in hand, and more are on their way. */
async function warm(opened: Observed[] = []): Promise<{ limiter: One; other: One }> {
  const store = server.store()
  const observers = [{ limiterOpened: (limiter: Observed) => void opened.push(limiter) }]
  const open = () => createLimiter({ name: 'hot', store, policies, ahead: '2s', logger: quiet, observers })
  const [limiter, other] = [open(), open()]
  for (let i = 0; i < 20; i++) await during(limiter.check('key'))
  server.roundTripMs = 20
  const { length } = server.asked
  while (server.asked.length === length) await limiter.check('key')
  expect(inHandOf(limiter)).toBeGreaterThan(0)
  return { limiter, other }
}

/** Time passes until it has resolved. */
async function during<T>(answer: Promise<T>): Promise<T> {
  let over = false
  const ended = answer.finally(() => {
    over = true
  })
  while (!over) await pass(5)
  return ended
}

function inHandOf(limiter: One): number {
  return limiter.health().ahead?.inHand ?? Number.NaN
}

interface Act {
  readonly name: string
  act(limiter: One): Promise<void>
  /** What the next check is answered. */
  readonly after: object
}

const full = { allowed: false, reason: 'limited', remaining: 0 }
const acts: readonly Act[] = [
  { name: 'block', act: (limiter) => limiter.block('key', '1m'), after: { reason: 'blocked' } },
  { name: 'set', act: (limiter) => limiter.set('key', limit), after: full },
  { name: 'penalize', act: (limiter) => limiter.penalize('key', limit), after: full },
  {
    name: 'penalize by a wait',
    act: (limiter) => limiter.penalize('key', { wait: '1m' }),
    after: { reason: 'blocked' },
  },
  { name: 'reset', act: (limiter) => limiter.reset('key'), after: { allowed: true, remaining: limit - 1 } },
  { name: 'reward', act: (limiter) => limiter.reward('key', limit), after: { remaining: limit - 1 } },
  { name: 'unblock', act: (limiter) => limiter.unblock('key'), after: { allowed: true } },
]

describe.each(acts)('units in hand when the process that has them calls $name', ({ act, after }) => {
  it.each(['limiter', 'other'] as const)(
    'decide nothing after it, by this %s of the same name',
    async (who) => {
      const both = await warm()
      const { limiter } = both
      const asking = Array.from({ length: 5 }, () => limiter.check('key'))
      await during(act(both[who]))
      expect(inHandOf(limiter)).toBe(0)
      const decisions = limiter.health().ahead?.decisions
      await Promise.all(asking)
      expect(await during(limiter.peek('key'))).toMatchObject({ source: 'far' })
      expect(await during(limiter.check('key'))).toMatchObject(after)
      expect(limiter.health().ahead?.decisions).toBe(decisions)
    },
  )
})

const heard = { act: 'block', limiter: 'hot', policies: ['own'], key: 'key', forMs: 60_000, atMs: 0 } as const

it('units in hand go back when a process hears that another has changed their key, and more are taken later', async () => {
  const opened: Observed[] = []
  const { limiter } = await warm(opened)
  for (const each of opened) each.relay?.(heard, new Set())
  expect(await during(limiter.check('key'))).toMatchObject({ source: 'far' })
  expect(inHandOf(limiter)).toBe(0)
  for (let i = 0; i < 20; i++) await during(limiter.check('key'))
  expect(inHandOf(limiter)).toBeGreaterThan(0)
})

it('a block that a process hears of holds there too once the server is away', async () => {
  const opened: Observed[] = []
  const { limiter } = await warm(opened)
  for (const each of opened) each.relay?.(heard, new Set())
  server.manner = 'refuses'
  expect(await during(limiter.check('key'))).toMatchObject({ reason: 'blocked', source: 'fallback' })
})

it('a refusal that is repeated here is over once the process resets the key', async () => {
  const { limiter } = await warm()
  await during(limiter.set('key', limit))
  expect(await during(limiter.check('key'))).toMatchObject(full)
  const asked = limiter.check('key')
  await during(limiter.reset('key'))
  await during(asked)
  expect(await during(limiter.check('key'))).toMatchObject({ allowed: true })
})
