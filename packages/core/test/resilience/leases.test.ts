import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import fc from 'fast-check'
import { concurrency, createLimiter, type Decision, fixedWindow, slidingWindowLog } from '../../src/index.ts'
import { guard } from '../../src/resilience/guard.ts'
import { readGuardOptions } from '../../src/resilience/guard-options.ts'
import { type One, quiet, Server } from './server.ts'

const lease = 6000
const two = concurrency({ limit: 2, lease })

let server: Server
beforeEach(() => {
  // The clock's sleepers go on in turns of the event loop.
  jest.useFakeTimers({ doNotFake: ['setImmediate'] })
  server = new Server()
})
afterEach(() => {
  jest.clearAllTimers()
  jest.useRealTimers()
})

function processes(count: number): readonly [One, One, One] {
  return server.processes(count, two) as readonly [One, One, One] // as many as are used
}

async function passes(limiter: Pick<One, 'check'>): Promise<boolean> {
  return (await limiter.check('k')).allowed
}

async function comeBack({ empty }: { empty: boolean }): Promise<void> {
  if (empty) server.lose()
  server.away = false
  await server.pass(1000)
}

describe('what is in flight when the server goes away', () => {
  it('counts in the fallback until it is released', async () => {
    const [limiter] = processes(1)
    const decisions = [await limiter.check('k'), await limiter.check('k')]
    server.go()
    expect(await limiter.check('k')).toMatchObject({ allowed: false, source: 'fallback' })
    await decisions[0]?.release()
    expect([await passes(limiter), await passes(limiter)]).toEqual([true, false])
  })

  it('counts there however long it takes', async () => {
    const [limiter] = processes(1)
    await limiter.check('k')
    await server.pass(5 * lease)
    server.go()
    await server.pass(5 * lease)
    expect([await passes(limiter), await passes(limiter)]).toEqual([true, false])
  })

  it('of other processes keeps nobody waiting here, as nobody knows how long it goes on', async () => {
    const [one, other] = processes(2)
    await one.check('k', { cost: 2 })
    expect(await passes(other)).toBe(false)
    server.go()
    expect(await passes(other)).toBe(true)
  })

  it('has its place again when the server is back, and empty', async () => {
    const [one, other] = processes(2)
    const decision = await one.check('k', { cost: 2 })
    server.go()
    await server.pass(1000)
    await comeBack({ empty: true })
    await server.pass(lease / 3)
    expect(await passes(other)).toBe(false)
    await decision.release()
    expect(await passes(other)).toBe(true)
  })
})

describe('what was taken without the server', () => {
  it('counts there when it is back, and is freed there', async () => {
    const [one, other] = processes(2)
    server.go()
    const decision = await one.check('k', { cost: 2 })
    await comeBack({ empty: false })
    await server.pass(5 * lease)
    expect(await passes(other)).toBe(false)
    await decision.release()
    expect(await passes(other)).toBe(true)
  })

  it('and has no room there is reported as lost, and counts in its process', async () => {
    const lost: unknown[] = []
    const store = guard(server.store(), readGuardOptions({}), server.clock)
    const observers = [{ lost: (about: unknown) => lost.push(about) }]
    const limiter = createLimiter({ policy: two, store, observers, logger: quiet })
    const [other] = processes(1)
    server.go()
    const there = await other.check('k', { cost: 2 })
    const here = await limiter.check('k', { cost: 2 })
    await comeBack({ empty: true })
    await server.pass(5 * lease)
    expect(lost).toHaveLength(1)
    await there.release()
    expect([await passes(limiter), await passes(other)]).toEqual([false, true])
    await here.release()
    expect(await passes(limiter)).toBe(true)
  })
})

describe('a request that another policy refuses is not in flight, though each is charged by itself', () => {
  function limiterOf(onStoreFailure: 'local' | 'deny') {
    const store = guard(server.store(), readGuardOptions({}), server.clock)
    const policies = {
      rate: slidingWindowLog({ limit: 1, window: '1m' }),
      slots: two,
      hour: fixedWindow({ limit: 9, window: '1h' }),
    }
    return createLimiter({
      policies,
      store,
      charge: 'every-level',
      onStoreFailure: { rate: onStoreFailure },
      logger: quiet,
    })
  }

  async function left({ verdicts }: Decision): Promise<readonly unknown[]> {
    return [verdicts.slots?.remaining, verdicts.hour?.remaining]
  }

  it('whoever was refused before the outage', async () => {
    const limiter = limiterOf('local')
    const first = await limiter.check('k')
    await limiter.check('k')
    server.go()
    await first.release()
    const refused = await limiter.check('k')
    expect(refused).toMatchObject({ allowed: false, policy: 'rate', source: 'fallback' })
    expect(await left(await limiter.peek('k'))).toEqual([2, 6])
  })

  it('whoever is refused because nobody can count', async () => {
    const limiter = limiterOf('deny')
    server.go()
    expect(await limiter.check('k')).toMatchObject({ allowed: false, reason: 'store-unavailable' })
    expect(await left(await limiter.peek('k'))).toEqual([2, 8])
  })

  it('whoever is refused after the outage', async () => {
    const limiter = limiterOf('local')
    server.go()
    const first = await limiter.check('k')
    await first.release()
    await comeBack({ empty: true })
    expect(await limiter.check('k')).toMatchObject({ allowed: false, policy: 'rate' })
    await server.pass(70_000)
    expect(await left(await limiter.peek('k'))).toEqual([2, 8])
  })
})

describe('over random outages, with and without loss of what the server had', () => {
  const step = fc.record({
    waitMs: fc.constantFrom(0, 10, 500, 2000, 5000),
    process: fc.nat(2),
    asks: fc.nat(3),
    releases: fc.nat(2),
    happens: fc.constantFrom('nothing', 'nothing', 'nothing', 'goes', 'comes', 'comes empty'),
  })

  it('never more than processes times the limit are in flight, and in the end the limit again', async () => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 80 }), async (steps) => {
      server = new Server()
      const limiters = processes(3)
      const inFlight: Decision[][] = [[], [], []]
      for (const { waitMs, process, asks, releases, happens } of steps) {
        await server.pass(waitMs)
        if (happens === 'goes') server.go()
        else if (happens !== 'nothing' && server.away) await comeBack({ empty: happens === 'comes empty' })
        const mine = inFlight[process] ?? []
        for (const decision of mine.splice(0, releases)) await decision.release()
        for (let i = 0; i < asks; i++) {
          const decision = await limiters[process]?.check('k')
          if (decision?.allowed) mine.push(decision)
        }
        expect(inFlight.flat().length).toBeLessThanOrEqual(3 * 2)
      }
      if (server.away) await comeBack({ empty: false })
      for (const decision of inFlight.flat()) await decision.release()
      await server.pass(2 * lease)
      expect([await passes(limiters[0]), await passes(limiters[1]), await passes(limiters[2])]).toEqual([
        true,
        true,
        false,
      ])
      jest.clearAllTimers()
    })
    await fc.assert(property, { numRuns: 60 })
  })
})
