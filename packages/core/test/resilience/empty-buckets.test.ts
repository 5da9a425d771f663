// Buckets that start empty: what a process says in an outage, and after it, of a key of which it knows little or nothing.
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { createLimiter, tokenBucket } from '../../src/index.ts'
import { guard } from '../../src/resilience/guard.ts'
import { readGuardOptions } from '../../src/resilience/guard-options.ts'
import { type One, type Patient, quiet, Server } from './server.ts'

const policy = tokenBucket({ capacity: 10, count: 1, period: '10s', start: 'empty' })

let server: Server
beforeEach(() => {
  jest.useFakeTimers()
  server = new Server()
})
afterEach(() => {
  jest.clearAllTimers()
  jest.useRealTimers()
})

async function admitted(limiter: Pick<One, 'check'>, key: string, times: number): Promise<number> {
  let count = 0
  for (let i = 0; i < times; i++) if ((await limiter.check(key)).allowed) count++
  return count
}

/** So many processes, and a full bucket of `k` on the server, of which only the last of them knows. */
async function withFullBucket<L extends One | Patient>(limiters: readonly [L, ...L[]]): Promise<L> {
  const other = limiters.at(-1) as L
  expect((await other.check('k')).allowed).toBe(false)
  await server.pass(100_000)
  return limiters[0]
}

// biome-ignore format: a table
describe.each<[string, number | undefined]>([
  ['by the whole limit',      undefined],
  ['by a third of the limit', 3],
])('after an outage in which a process counted %s', (_title, processes) => {
  const pair = () => server.processes(2, policy, processes) as readonly [One, One]
  const firstWaitMs = processes === undefined ? 10_000 : 30_000

  it.each(['another', 'k'])('a key that it has admitted nothing of has what the server says: %s was asked for', async (key) => {
    const one = await withFullBucket(pair())
    server.go()
    expect(await one.check(key)).toMatchObject({ allowed: false, source: 'fallback', retryAfterMs: firstWaitMs })
    server.away = false
    await server.pass(1000)
    expect(one.health().status).toBe('ok')
    expect(await one.peek('k')).toMatchObject({ remaining: 10, source: 'server' })
    expect(await admitted(one, 'k', 12)).toBe(10)
  })

  it('what it has admitted meanwhile is held against the key, of which the server knows nothing', async () => {
    const one = await withFullBucket(pair())
    server.go()
    await one.check('k')
    await server.pass(60_000)
    const meanwhile = await admitted(one, 'k', 12)
    expect(meanwhile).toBe(processes === undefined ? 6 : 2)
    server.away = false
    await server.pass(1000)
    expect(await admitted(one, 'k', 12)).toBe(10 - meanwhile)
  })
})

it('what a process has admitted in an earlier outage is no objection once it has come back', async () => {
  const one = await withFullBucket(server.processes(2, policy) as readonly [One, One])
  server.go()
  await one.check('k')
  await server.pass(60_000)
  expect(await admitted(one, 'k', 9)).toBe(6)
  server.away = false
  const pause = 400_000
  await server.pass(pause)
  const other = server.processes(1, policy)[0] as One
  await other.check('k')
  await server.pass(100_000)
  server.go()
  await one.check('another')
  server.away = false
  await server.pass(1000)
  expect(await admitted(one, 'k', 12)).toBe(10)
})

it('keys that share a count, as there is no room for them, are held to what it has admitted', async () => {
  const one = createLimiter({
    policy: tokenBucket({ capacity: 1, count: 1, period: '10s', start: 'empty' }),
    store: guard(server.store(), readGuardOptions({ maxKeys: 1 }), server.clock),
    logger: quiet,
  })
  server.go()
  expect([await admitted(one, 'a', 1), await admitted(one, 'b', 1)]).toEqual([0, 0])
  await server.pass(10_000)
  expect([await admitted(one, 'a', 1), await admitted(one, 'b', 1)]).toEqual([1, 1])
  server.away = false
  await server.pass(1000)
  for (const key of ['b', 'c'])
    expect(await one.check(key)).toMatchObject({ allowed: false, source: 'fallback', retryAfterMs: 9000 })
})

describe('in an outage', () => {
  it('goes on from what the server has left of a key', async () => {
    const [one] = server.processes(1, policy) as readonly [One]
    await one.check('k')
    await server.pass(50_000)
    expect(await admitted(one, 'k', 2)).toBe(2)
    server.go()
    await server.pass(4000)
    // biome-ignore format: a table
    const rows = [
      { allowed: true,  remaining: 2, retryAfterMs: null },
      { allowed: true,  remaining: 1, retryAfterMs: null },
      { allowed: true,  remaining: 0, retryAfterMs: null },
      { allowed: false, remaining: 0, retryAfterMs: 6000 },
    ]
    for (const row of rows) expect(await one.check('k')).toMatchObject({ ...row, source: 'fallback' })
  })

  it('a key is counted by what the server says behind a block that another process has lifted', async () => {
    const [one, other] = server.processes(2, policy) as readonly [One, One]
    await other.check('k')
    await server.pass(50_000)
    await one.block('k', '1s')
    await other.unblock('k')
    expect(await one.check('k', { cost: 2 })).toMatchObject({ allowed: true, remaining: 3 })
    server.go()
    await server.pass(1000)
    expect(await one.check('k')).toMatchObject({ allowed: true, remaining: 2, source: 'fallback' })
  })

  it('a block that the server tells of says nothing of what is left', async () => {
    const [one, other] = server.processes(2, policy) as readonly [One, One]
    await one.check('k')
    await server.pass(50_000)
    expect(await one.check('k', { cost: 2 })).toMatchObject({ allowed: true, remaining: 3 })
    await other.block('k', '300s')
    expect(await one.check('k')).toMatchObject({ reason: 'blocked' })
    await other.unblock('k')
    expect(await one.check('k')).toMatchObject({ allowed: true, remaining: 2 })
    server.go()
    expect(await one.check('k')).toMatchObject({ allowed: true, remaining: 1, source: 'fallback' })
  })

  it('a client that waits as long as the server said is let in', async () => {
    const [one, other] = server.processes(2, policy) as readonly [One, One]
    await other.check('k')
    await server.pass(25_000)
    expect(await one.check('k', { cost: 4 })).toMatchObject({ allowed: false, retryAfterMs: 15_000 })
    server.go()
    await server.pass(14_999)
    expect(await one.check('k', { cost: 4 })).toMatchObject({ allowed: false, retryAfterMs: 1 })
    await server.pass(1)
    expect(await one.check('k', { cost: 4 })).toMatchObject({
      allowed: true,
      remaining: 0,
      source: 'fallback',
    })
  })

  it('nobody passes before those who have reserved', async () => {
    const [one] = server.patient(1, policy)
    expect(await one.reserve('k', { maxWait: '30s' })).toMatchObject({ allowed: true, waitMs: 10_000 })
    server.go()
    expect(await one.reserve('k', { maxWait: '30s' })).toMatchObject({ waitMs: 20_000, source: 'fallback' })
    server.away = false
    server.lose()
    await server.pass(1000)
    expect(await one.reserve('k', { maxWait: '30s' })).toMatchObject({ waitMs: 29_000, source: 'server' })
  })
})
