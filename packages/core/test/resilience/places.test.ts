import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { type Allowed, concurrency, createLimiter, type FailureChoice, type Store } from '../../src/index.ts'
import { guard } from '../../src/resilience/guard.ts'
import { readGuardOptions } from '../../src/resilience/guard-options.ts'
import { type Lined, quiet, Server } from './server.ts'

const leaseMs = 6000
const one = concurrency({ limit: 1, lease: leaseMs })
let server: Server
let served: string[]
let held: Map<string, Allowed>

beforeEach(() => {
  server = new Server()
  served = []
  held = new Map()
})

function processes(count: number): readonly [Lined, Lined, Lined] {
  return server.lined(count, one) as readonly [Lined, Lined, Lined] // as many as are used
}

async function settle(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve))
}

async function pass(ms: number): Promise<void> {
  await server.clock.advance(ms)
  await settle()
}

/** Waits under a name, and arrives before the next. */
async function join(limiter: Lined, name: string, priority = 0): Promise<void> {
  void limiter.wait('bob', { maxWait: '1h', priority }).then((decision) => {
    served.push(decision.allowed ? name : `${name} ${decision.reason}`)
    if (decision.allowed) held.set(name, decision)
  })
  await pass(10)
}

async function release(name: string): Promise<void> {
  await held.get(name)?.release()
  await settle()
}

afterEach(settle)

describe('a line over several processes', () => {
  it('serves who has waited longest, wherever it waits, within 250 ms', async () => {
    const [a, b, c] = processes(3)
    await join(a, 'a1')
    await join(b, 'b1')
    await join(c, 'c1')
    await join(a, 'a2')
    await join(c, 'c2')
    await join(b, 'b2')
    await join(c, 'high', 1)
    await pass(5000)
    const order = ['a1', 'high', 'b1', 'c1', 'a2', 'c2', 'b2']
    for (const [nth, name] of order.entries()) {
      expect(served).toEqual(order.slice(0, nth + 1))
      await release(name)
      await pass(250)
    }
  })

  it('passes over the callers of a process that has died after three seconds, and nobody overtakes before', async () => {
    const [a, b] = processes(2)
    const dead = server.mortal(one)
    await join(a, 'holder')
    await join(dead.limiter, 'dead')
    await join(b, 'next')
    dead.die()
    await release('holder')
    await pass(2500)
    expect((await a.check('bob')).allowed).toBe(false)
    expect(served).toEqual(['holder'])
    await pass(750)
    expect(served).toEqual(['holder', 'next'])
  })

  it('moves on when a process dies that holds the place', async () => {
    const dead = server.mortal(one)
    const [a] = processes(1)
    await join(dead.limiter, 'dead')
    await join(a, 'next')
    await pass(20_000)
    expect(served).toEqual(['dead'])
    dead.die()
    await pass(leaseMs + 250)
    expect(served).toEqual(['dead', 'next'])
  })

  it('stands in its order again where the server has lost the line', async () => {
    const [a, b] = processes(2)
    await join(a, 'holder')
    await join(b, 'b1')
    await join(a, 'a1')
    await join(b, 'b2')
    server.lose()
    const another = await a.check('bob')
    await pass(300)
    expect(served).toEqual(['holder'])
    await another.release()
    await pass(250)
    for (const name of ['b1', 'a1']) {
      await release(name)
      await pass(250)
    }
    expect(served).toEqual(['holder', 'b1', 'a1', 'b2'])
  })
})

describe('while the store is away', () => {
  it('serves the callers of this process in their order, and counts what it holds', async () => {
    const [a] = processes(1)
    await join(a, 'holder')
    await join(a, 'first')
    await join(a, 'second')
    server.go()
    await pass(1000)
    expect(served).toEqual(['holder'])
    await release('holder')
    expect(served).toEqual(['holder', 'first'])
    server.away = false
    await pass(2000)
    expect(served).toEqual(['holder', 'first'])
    await release('first')
    // The server has not heard that the first place was given back.
    await pass(leaseMs)
    expect(served).toEqual(['holder', 'first', 'second'])
  })

  it('serves who has the higher priority first', async () => {
    const [a] = processes(1)
    await join(a, 'holder')
    server.go()
    await join(a, 'first')
    await pass(1000)
    await join(a, 'high', 1)
    await pass(1000)
    await release('holder')
    await release('high')
    expect(served).toEqual(['holder', 'high', 'first'])
  })

  it('tells the store of each who gave the line up how long it had waited', async () => {
    const waited: number[] = []
    const heard = server.store()
    const line: Store['line'] = (callers) => {
      for (const { leaves, waitedUs } of callers) if (leaves) waited.push(waitedUs)
      return heard.line?.(callers) ?? []
    }
    const store = guard({ ...heard, line }, readGuardOptions({}), server.clock)
    const limiter = createLimiter({ policy: one, store, onStoreFailure: 'deny', logger: quiet })
    await join(limiter, 'holder')
    await join(limiter, 'waits')
    server.go()
    await pass(1000)
    expect(served).toEqual(['holder', 'waits store-unavailable'])
    expect(waited).toHaveLength(1)
    expect(waited[0]).toBeGreaterThan(0)
  })

  it('serves at once when the store is back', async () => {
    const [a] = processes(1)
    await join(a, 'holder')
    await join(a, 'waits')
    server.go()
    await pass(1000)
    server.away = false
    await pass(1000)
    await release('holder')
    expect(served).toEqual(['holder', 'waits'])
  })

  it('has no more in flight afterwards than the limit, once leases were renewed', async () => {
    const [a, b] = processes(2)
    await join(a, 'a')
    await join(b, 'b')
    server.go()
    // Each process counts for itself now.
    await pass(leaseMs)
    expect(served).toEqual(['a', 'b'])
    server.away = false
    await pass(leaseMs)
    await join(a, 'later')
    await release('b')
    await pass(1000)
    expect(served).toEqual(['a', 'b'])
    await release('a')
    await pass(1000)
    expect(served).toEqual(['a', 'b', 'later'])
  })

  it.each<[FailureChoice, string]>([
    ['deny', 'waits store-unavailable'],
    ['allow', 'waits'],
  ])('answers those who wait as %s says', async (onStoreFailure, outcome) => {
    const store = guard(server.store(), readGuardOptions({}), server.clock)
    const limiter = createLimiter({ policy: one, store, onStoreFailure, logger: quiet })
    await join(limiter, 'holder')
    await join(limiter, 'waits')
    server.go()
    await pass(1000)
    expect(served).toEqual(['holder', outcome])
  })
})
