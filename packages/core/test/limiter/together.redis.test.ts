import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { memoryUnderTest, type StoreUnderTest } from '@sluice/conformance'
import { baseUs } from '@sluice/conformance/internal'
import { redisUnderTest } from '@sluice/faults'
import { socket } from '@sluice/faults/redis-socket'
import { createLimiter, type Decision, notApplicable, slidingWindowLog, uniform } from '../../src/index.ts'

const visitor = uniform({ interval: '10s' })
const tiger = slidingWindowLog({ limit: 20, window: '10s' })
const tenSecondsUs = 10_000_000

describe.each<[string, () => Promise<StoreUnderTest>]>([
  ['memory', memoryUnderTest],
  ['redis', () => redisUnderTest(socket)],
])('a limit for each client and one for the resource, on %s', (_name, make) => {
  let subject: StoreUnderTest
  beforeEach(async () => {
    subject = await make()
    await subject.setClock(baseUs)
  })
  afterEach(() => subject.close())

  function together(name: string) {
    const limiter = createLimiter({ name, store: subject.store, policies: { visitor, tiger } })
    return {
      limiter,
      buy: (who: string): Promise<Decision> => limiter.check({ visitor: who, tiger: 'tiger' }),
      left: async () => (await limiter.peek({ visitor: notApplicable, tiger: 'tiger' })).remaining,
    }
  }

  it('lets no gang of clients, each within its own limit, overrun the resource', async () => {
    const { buy } = together('gang')
    const admittedUs: number[] = []
    // Seventy clients, one every 300 ms, each of them for the first time.
    for (let i = 0; i < 70; i++) {
      const atUs = baseUs + i * 300_000
      await subject.setClock(atUs)
      if ((await buy(`client ${i}`)).allowed) admittedUs.push(atUs)
    }
    for (const fromUs of admittedUs) {
      const inWindow = admittedUs.filter((atUs) => atUs >= fromUs && atUs < fromUs + tenSecondsUs)
      expect(inWindow.length).toBeLessThanOrEqual(20)
    }
    // 0 to 5.7 s, 10.2 to 15.9 s, and 20.4 and 20.7 s: whenever one has left the window.
    expect(admittedUs.length).toBe(42)
  })

  it('lets no client eat the allowance of all', async () => {
    const { buy, left } = together('greedy')
    for (let i = 0; i < 100; i++) await buy('mallory')
    expect(await left()).toBe(19)
    expect((await buy('bob')).allowed).toBe(true)
  })

  it('takes nothing from either when one of them refuses', async () => {
    const { limiter, buy, left } = together('refused')
    for (let i = 0; i < 20; i++) await buy(`client ${i}`)
    expect(await buy('late')).toMatchObject({ allowed: false, policy: 'tiger' })
    expect((await limiter.peek({ visitor: 'late', tiger: notApplicable })).remaining).toBe(1)
    await subject.setClock(baseUs + tenSecondsUs)
    expect((await buy('late')).allowed).toBe(true)
    expect(await buy('late')).toMatchObject({ allowed: false, policy: 'visitor' })
    expect(await left()).toBe(19)
  })

  it('is not what two limiters do, one after the other: the first charges although the second refuses', async () => {
    const { store } = subject
    const gate = createLimiter({ name: 'stacked gate', store, policy: visitor })
    const log = createLimiter({ name: 'stacked log', store, policy: tiger })
    for (let i = 0; i < 20; i++) await log.check('tiger')
    expect((await gate.check('late')).allowed).toBe(true)
    expect((await log.check('tiger')).allowed).toBe(false)
    // Turned away without a ticket, and now kept out for ten seconds by the gate.
    expect(await gate.check('late')).toMatchObject({ allowed: false, retryAfterMs: 10_000 })
    // The other way round a client who may not buy uses up what all share.
    await subject.setClock(baseUs + tenSecondsUs)
    await gate.check('mallory')
    for (let i = 0; i < 20; i++) {
      await log.check('tiger')
      await gate.check('mallory')
    }
    expect((await log.check('tiger')).allowed).toBe(false)
  })
})
