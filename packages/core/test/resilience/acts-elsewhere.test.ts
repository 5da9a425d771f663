import { afterEach, beforeEach, expect, it, jest } from '@jest/globals'
import { type Act, createLimiter, fixedWindow, type Observed, type Unit } from '../../src/index.ts'
import { guard } from '../../src/resilience/guard.ts'
import { readGuardOptions } from '../../src/resilience/guard-options.ts'
import { LatestActs } from '../../src/resilience/latest-acts.ts'
import type { Check } from '../../src/store.ts'
import { quiet, Server } from './server.ts'

let server: Server
beforeEach(() => {
  jest.useFakeTimers()
  server = new Server()
})
afterEach(() => {
  jest.clearAllTimers()
  jest.useRealTimers()
})

const limit = 3
const about = { limiter: 'default', policies: ['default'], key: 'k' }
const nowMs = () => Math.floor(server.clock.nowUs() / 1000)

/** A process, and how it hears of what another has done. */
function processOf(server: Server, unit?: Unit) {
  const policy = fixedWindow({ limit, window: '1h', unit })
  const store = guard(server.store(), readGuardOptions({}), server.clock)
  const opened: Observed[] = []
  const observers = [{ limiterOpened: (limiter: Observed) => void opened.push(limiter) }]
  const limiter = createLimiter({ policy, store, logger: quiet, observers })
  const hear = (act: Pick<Act, 'act' | 'forMs' | 'units'> & { readonly atMs?: number }) => {
    for (const each of opened) each.relay?.({ ...about, atMs: nowMs(), ...act }, new Set())
  }
  return { limiter, hear }
}

/** It has admitted all, and has been without the server since. */
async function afterOutage(unit?: Unit) {
  const { limiter, hear } = processOf(server, unit)
  for (let i = 0; i < limit; i++) await limiter.check('k')
  server.go()
  server.lose()
  server.away = false
  await server.pass(1000)
  expect(await limiter.peek('k')).toMatchObject({ allowed: false, source: 'fallback' })
  return { limiter, hear }
}

it('forgets what it held against a key that another process has reset', async () => {
  const { limiter, hear } = await afterOutage()
  hear({ act: 'reset' })
  expect(await limiter.peek('k')).toMatchObject({ allowed: true, remaining: limit })
})

it.each([1, 0.001] as const)(
  'holds no more against a key than another process has set, in units of %d',
  async (unit) => {
    const { limiter, hear } = await afterOutage(unit)
    hear({ act: 'set', units: limit - 1 })
    expect(await limiter.peek('k')).toMatchObject({ allowed: true })
    expect(await limiter.peek('k', { cost: 2 })).toMatchObject({ allowed: false, source: 'fallback' })
  },
)

it.each([
  { act: 'reset', remaining: limit },
  { act: 'set', units: 1, remaining: limit - 1 },
] as const)(
  'goes by the $act of another process also without the server that has refused the key',
  async (act) => {
    const { limiter, hear } = processOf(server)
    for (let i = 0; i <= limit; i++) await limiter.check('k')
    hear(act)
    server.go()
    expect(await limiter.peek('k')).toMatchObject({ allowed: true, remaining: act.remaining })
  },
)

it('forgets a block that the server has reported once another process has ended it, and keeps the count', async () => {
  const [{ limiter, hear }, other] = [processOf(server), processOf(server)]
  await limiter.check('k')
  await other.limiter.block('k', '1h')
  expect(await limiter.check('k')).toMatchObject({ reason: 'blocked', source: 'server' })
  hear({ act: 'unblock' })
  server.go()
  expect(await limiter.peek('k')).toMatchObject({ allowed: true, remaining: limit - 1 })
})

it('changes no policy that the act of another process does not name', async () => {
  const policy = fixedWindow({ limit, window: '1h' })
  const store = guard(server.store(), readGuardOptions({}), server.clock)
  const opened: Observed[] = []
  const observers = [{ limiterOpened: (limiter: Observed) => void opened.push(limiter) }]
  const policies = { one: policy, other: policy }
  const limiter = createLimiter({ policies, store, logger: quiet, observers })
  await limiter.check('k')
  for (const each of opened)
    each.relay?.({ ...about, atMs: nowMs(), act: 'reset', policies: ['one'] }, new Set())
  server.go()
  const { verdicts } = await limiter.peek('k')
  expect(verdicts).toMatchObject({ one: { remaining: limit }, other: { remaining: limit - 1 } })
})

it('ends a block that another process has ended, and keeps the count', async () => {
  const { limiter, hear } = processOf(server)
  await limiter.check('k')
  await limiter.block('k', '1h')
  server.go()
  expect(await limiter.peek('k')).toMatchObject({ reason: 'blocked' })
  hear({ act: 'unblock' })
  expect(await limiter.peek('k')).toMatchObject({ allowed: true, remaining: limit - 1 })
})

it('goes by a block of another process also without the server, for its time', async () => {
  const { limiter, hear } = processOf(server)
  hear({ act: 'block', forMs: 60_000 })
  expect(await limiter.peek('k')).toMatchObject({ allowed: true, source: 'server' })
  server.go()
  expect(await limiter.peek('k')).toMatchObject({ reason: 'blocked', retryAfterMs: 60_000 })
  await server.pass(60_000)
  server.away = true
  expect(await limiter.peek('k')).toMatchObject({ allowed: true })
})

it('keeps to its own block where it hears of an earlier one, and to the latest act of others', async () => {
  const { limiter, hear } = processOf(server)
  await limiter.check('k')
  const atMs = nowMs()
  await server.pass(1000)
  await limiter.block('k', '1h')
  hear({ act: 'block', forMs: 1, atMs })
  server.go()
  await server.pass(1000)
  expect(await limiter.peek('k')).toMatchObject({ reason: 'blocked' })
  hear({ act: 'unblock', atMs: nowMs() })
  hear({ act: 'block', forMs: 60_000, atMs: nowMs() - 500 })
  expect(await limiter.peek('k')).toMatchObject({ allowed: true })
})

it('obeys the next act also where the last one came from a clock that is ahead', async () => {
  const { limiter, hear } = processOf(server)
  await limiter.check('k')
  hear({ act: 'block', forMs: 60_000, atMs: nowMs() + 3_600_000 })
  server.go()
  expect(await limiter.peek('k')).toMatchObject({ reason: 'blocked' })
  hear({ act: 'unblock' })
  expect(await limiter.peek('k')).toMatchObject({ allowed: true })
})

it('knows when the latest thousand keys were changed', () => {
  const acts = new LatestActs()
  const check = (key: string) => ({ id: 'a', key }) as Check
  for (let i = 0; i <= 1000; i++) expect(acts.note(check(`k${i}`), 2000)).toBe(true)
  expect(acts.note(check('k1'), 1999)).toBe(false)
  expect(acts.note(check('k0'), 1999)).toBe(true)
})

it.each([{ act: 'deny' }, { act: 'change' }, { act: 'set', units: -1 }, { act: 'set', units: 0.5 }] as const)(
  'holds to what it knew where it hears of $act $units',
  async (act) => {
    const { limiter, hear } = await afterOutage()
    hear(act)
    expect(await limiter.peek('k')).toMatchObject({ allowed: false, source: 'fallback' })
  },
)
