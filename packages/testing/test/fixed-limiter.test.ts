import { describe, expect, it } from '@jest/globals'
import {
  concurrency,
  createLimiter,
  type Decider,
  fixedWindow,
  gcra,
  isRefusedError,
  type Reason,
} from '@sluice/core'
import { outcomeOf } from '@sluice/http'
import { allowingLimiter, refusingLimiter } from '../src/index.ts'

const policies = {
  visitor: fixedWindow({ limit: 5, window: '1m' }),
  zoo: concurrency({ limit: 100 }),
}

describe('a limiter that always allows', () => {
  it('does so with the decisions of a real one', async () => {
    const limiter = allowingLimiter()
    const real = await createLimiter({ policy: gcra({ count: 100, period: '1m' }) }).check('bob')
    const decision = await limiter.check('bob')
    expect(Object.keys(decision)).toEqual(Object.keys(real))
    for (let i = 0; i < 200; i++)
      expect(await limiter.check('bob')).toMatchObject({ allowed: true, remaining: 99 })
    expect(decision).toMatchObject({ limiter: 'default', policy: 'default', source: 'memory', waitMs: 0 })
    await decision.settle(50)
    await decision.refund()
    await decision.release()
    expect(await limiter.run('bob', () => 'done')).toBe('done')
    expect((await limiter.reserve('bob', { cost: 100 })).remaining).toBe(0)
  })

  it('does what else a limiter does, without an effect', async () => {
    const limiter = allowingLimiter({ policies, name: 'tickets' })
    const decision = await limiter.check({ visitor: 'bob', zoo: 'all' })
    expect(decision.limiter).toBe('tickets')
    expect(decision.verdicts.zoo).toMatchObject({ allowed: true, limit: 100, remaining: 99 })
    await limiter.block('bob', '1h')
    await limiter.reset('bob')
    expect((await limiter.check('bob')).allowed).toBe(true)
    expect(await limiter.inspect('bob')).toMatchObject({ visitor: { allowed: true, blockedMs: null } })
    expect(limiter.health().status).toBe('ok')
    await limiter.ready()
    await limiter.close()
  })

  it('takes policies that block, and lets callers in who wait for a place', async () => {
    const blocking = allowingLimiter({
      policies: { login: fixedWindow({ limit: 5, window: '1m', blockFor: '1h' }) },
    })
    expect((await blocking.check('bob')).allowed).toBe(true)
    const places = allowingLimiter({ policies: { zoo: policies.zoo } })
    expect(await places.wait('all', { maxWait: '1s' })).toMatchObject({ allowed: true, waitMs: 0 })
  })
})

describe('a limiter that always refuses', () => {
  it('says when to come again', async () => {
    const limiter = refusingLimiter({ name: 'login', retryAfter: '30s' })
    const decision = await limiter.check('bob')
    expect(decision).toMatchObject({
      limiter: 'login',
      policy: 'default',
      reason: 'limited',
      retryAfterMs: 30_000,
    })
    expect(decision.summary).toEqual([1, 100, 0, 30, 30])
    expect(outcomeOf(decision)).toMatchObject({ refusal: { status: 429 } })
    expect(outcomeOf(decision).headers).toContainEqual(['Retry-After', '30'])
    expect(await limiter.wait('bob', { maxWait: '1h' })).toMatchObject({ allowed: false })
    const error = await limiter.run('bob', () => 'done').catch((error: unknown) => error)
    expect(isRefusedError(error)).toBe(true)
  })

  it('refuses at once who would wait for a place', async () => {
    const limiter = refusingLimiter({ policies: { zoo: policies.zoo }, retryAfter: '30s' })
    expect(await limiter.wait('all', { maxWait: '1h' })).toMatchObject({
      allowed: false,
      reason: 'limited',
      retryAfterMs: 30_000,
    })
  })

  it('bans', async () => {
    const limiter = refusingLimiter({ reason: 'banned', retryAfter: '1d' })
    expect(await limiter.check('bob')).toMatchObject({ reason: 'banned', retryAfterMs: 86_400_000 })
    expect(await limiter.inspect('bob')).toMatchObject({ default: { blockedMs: 86_400_000 } })
  })

  it('refuses by the policies that it is given', async () => {
    const limiter = refusingLimiter({ policies, by: 'zoo', reason: 'blocked' })
    const decision = await limiter.check('bob')
    expect(decision).toMatchObject({ allowed: false, policy: 'zoo', reason: 'blocked' })
    expect(decision.verdicts.visitor).toMatchObject({ allowed: true, remaining: 4 })
    expect((await limiter.inspect('bob')).zoo?.blockedMs).toBe(60_000)
    const both = refusingLimiter({ policies, by: ['zoo', 'visitor'] })
    expect((await both.check('bob')).verdicts).toMatchObject({
      visitor: { allowed: false },
      zoo: { allowed: false },
    })
  })

  // reason, retryAfterMs, status
  const rows: readonly (readonly [Reason, number | null, number])[] = [
    ['limited', 60_000, 429],
    ['blocked', 60_000, 429],
    ['too-costly', null, 429],
    ['denied', null, 403],
    ['store-unavailable', 60_000, 503],
  ]
  it.each(rows)('because of %s: again after %s ms, status %i', async (reason, retryAfterMs, status) => {
    const decision = await refusingLimiter({ reason }).check('bob')
    expect(decision).toMatchObject({ reason, retryAfterMs })
    expect(decision.source).toBe(reason === 'store-unavailable' ? 'none' : 'memory')
    expect(outcomeOf(decision).refusal?.status).toBe(status)
  })

  it('goes where a limiter is expected', async () => {
    const ask = (limiter: Decider<string>) => limiter.check('bob')
    expect((await ask(refusingLimiter())).allowed).toBe(false)
    expect((await ask(allowingLimiter({ policies }))).allowed).toBe(true)
  })

  it('refuses what it cannot be', () => {
    expect(() => refusingLimiter({ reason: 'limitd' as 'limited' })).toThrow('did you mean "limited"')
    expect(() => refusingLimiter({ retryAfter: -1 })).toThrow('retryAfter: expected a positive duration')
    expect(() => refusingLimiter({ policies, by: 'zo' as 'zoo' })).toThrow('by: expected')
    expect(() => refusingLimiter({ policies, by: [] })).toThrow('by: expected at least one policy, got')
    expect(() => refusingLimiter({ retryafter: 1 } as object)).toThrow('did you mean "retryAfter"')
    expect(() => allowingLimiter({ reason: 'limited' } as object)).toThrow('reason: expected')
    for (const make of [allowingLimiter, refusingLimiter])
      expect(() => make({ policies: null } as object)).toThrow('policies: expected')
  })
})
