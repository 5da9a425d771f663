import { describe, expect, it } from '@jest/globals'
import { answering, rowOf, type ShortRow } from '@sluice/conformance/internal'
import { manualClock } from '@sluice/testing'
import { createLimiter, fixedWindow, memoryStore, notApplicable } from '../../src/index.ts'

const two = fixedWindow({ limit: 2, window: '10s' })
const four = fixedWindow({ limit: 4, window: '10s' })

function onMemory(shadow: boolean | { tried?: boolean; real?: boolean }) {
  const store = memoryStore({ clock: manualClock() })
  return createLimiter({ store, policies: { tried: two, real: four }, shadow })
}

describe('a shadow policy', () => {
  it('decides, is charged and refuses nobody', async () => {
    const limiter = onMemory({ tried: true })
    const seen: unknown[] = []
    for (let i = 0; i < 5; i++) {
      const { allowed, policy, shadow, verdicts } = await limiter.check('bob')
      seen.push([
        allowed,
        policy,
        shadow?.policy ?? null,
        verdicts.tried?.remaining,
        verdicts.real?.remaining,
      ])
    }
    expect(seen).toEqual([
      // allowed, binds, would refuse, left of the shadow policy, of the real one
      [true, 'real', null, 1, 3],
      [true, 'real', null, 0, 2],
      [true, 'real', 'tried', 0, 1],
      [true, 'real', 'tried', 0, 0],
      [false, 'real', 'tried', 0, 0],
    ])
  })

  it('is not charged for what a real one refuses', async () => {
    const limiter = onMemory({ tried: true })
    await limiter.check({ tried: 'ann', real: 'gate' }, { cost: { real: 4, tried: 0 } })
    const refused = await limiter.check({ tried: 'bob', real: 'gate' })
    expect(refused).toMatchObject({ allowed: false, policy: 'real', shadow: null })
    expect((await limiter.peek({ tried: 'bob', real: notApplicable })).remaining).toBe(2)
  })

  it('says what it would have refused, with its wait', async () => {
    const limiter = onMemory({ tried: true })
    for (let i = 0; i < 2; i++) await limiter.check('bob')
    const { shadow, summary, retryAfterMs } = await limiter.check('bob')
    expect(shadow).toMatchObject({ allowed: false, policy: 'tried', reason: 'limited', retryAfterMs: 10_000 })
    expect(retryAfterMs).toBeNull()
    // The five numbers are those of the policies that can refuse.
    expect(summary).toEqual([0, 4, 1, -1, 10])
  })

  it('is allowed for inspect too, which says what it would have refused', async () => {
    const limiter = onMemory({ tried: true })
    for (let i = 0; i < 2; i++) await limiter.check('bob')
    const { tried, real } = await limiter.inspect('bob')
    expect(tried).toMatchObject({ allowed: true, reason: null, retryAfterMs: null, remaining: 0 })
    expect(tried?.shadow).toMatchObject({ allowed: false, reason: 'limited', retryAfterMs: 10_000 })
    expect(real).not.toHaveProperty('shadow')
    await limiter.block('bob', '1m')
    const { tried: blocked } = await limiter.inspect('bob')
    expect(blocked).toMatchObject({ allowed: true, blockedMs: 60_000, shadow: { reason: 'blocked' } })
  })

  it('reads as the first of them, allowed, where no other applies', async () => {
    const limiter = onMemory(true)
    for (let i = 0; i < 2; i++) await limiter.check('bob')
    const decision = await limiter.check('bob')
    expect(decision).toMatchObject({
      allowed: true,
      policy: 'tried',
      reason: null,
      remaining: 0,
      retryAfterMs: null,
    })
    expect(decision.shadow).toMatchObject({ policy: 'tried', retryAfterMs: 10_000 })
    expect(decision.verdicts.tried?.allowed).toBe(false)
    expect(decision.verdicts.real?.remaining).toBe(1)
  })

  it('alone is allowed too', async () => {
    const limiter = createLimiter({ policy: fixedWindow({ limit: 1, window: '10s' }), shadow: true })
    await limiter.check('bob')
    const decision = await limiter.check('bob')
    expect(decision).toMatchObject({ allowed: true, retryAfterMs: null, reason: null })
    expect(decision.shadow).toMatchObject({ allowed: false, reason: 'limited' })
  })

  // biome-ignore format: a table
  it.each<[string, ShortRow]>([
    ['longer',  ['limited', 0, 9_000_000, 0]],
    ['endless', ['too-costly', 2, -1, 0]],
  ])('does not make the wait of a real refusal %s', async (_how, row) => {
    const store = answering([rowOf(row), rowOf(['limited', 0, 2_000_000, 0])])
    const limiter = createLimiter({ store, policies: { tried: two, real: four }, shadow: { tried: true } })
    expect(await limiter.check('bob')).toMatchObject({ allowed: false, policy: 'real', retryAfterMs: 2000 })
  })

  it('of several reports the refusal that takes longest', async () => {
    const store = answering([
      rowOf(['limited', 0, 2_000_000, 0]),
      rowOf(['limited', 0, 3_000_000, 0]),
      rowOf(['allowed', 1, 0, 0]),
    ])
    const limiter = createLimiter({
      store,
      policies: { a: two, b: two, c: two },
      shadow: { a: true, b: true },
    })
    expect((await limiter.check('bob')).shadow).toMatchObject({ policy: 'b', retryAfterMs: 3000 })
  })
})
