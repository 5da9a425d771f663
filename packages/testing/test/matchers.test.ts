import { AssertionError } from 'node:assert'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { createLimiter, fixedWindow, gcra } from '@sluice/core'
import {
  assertAllowed,
  assertRefused,
  type FrozenTime,
  freeze,
  matchers,
  refusingLimiter,
} from '../src/index.ts'

expect.extend(matchers)

let time: FrozenTime
beforeEach(() => {
  time = freeze()
})
afterEach(() => {
  time.restore()
})

function limiter() {
  return createLimiter({ name: 'login', policy: fixedWindow({ limit: 2, window: '1m' }) })
}

describe('the matchers', () => {
  it('know what is allowed and what is refused', async () => {
    const limiter = createLimiter({ policy: gcra({ count: 1, period: '1m' }) })
    const { check } = limiter
    expect(await check('bob')).toBeAllowed()
    const refused = await check('bob')
    expect(refused).toBeRefused()
    expect(refused).not.toBeAllowed()
    expect(refused).toBeRefused({ by: 'default', limiter: 'default', reason: 'limited', remaining: 0 })
    expect(refused).toBeRefused({ retryAfterMs: 60_000 })
    expect(refused).toBeRefused({ retryAfterMs: expect.any(Number) as never })
    expect(refused).not.toBeRefused({ retryAfterMs: 59_999 })
    expect(await limiter.reserve('bob')).toBeAllowed({ waitMs: 60_000, remaining: 0 })
    await expect(check('alice')).resolves.toBeAllowed({ remaining: 0 })
    await expect(check('alice')).resolves.not.toBeAllowed()
  })

  it('say policy, what is left and when', async () => {
    const { check } = limiter()
    const allowed = await check('bob')
    await time.advance('12s')
    await check('bob')
    const refused = await check('bob')
    expect(() => expect(allowed).toBeRefused()).toThrow(
      `expected the decision to be refused, but limiter "login" says: "default" allowed key 'bob' at a cost of 1: 1 of 2 left, all of it in 60000 ms`,
    )
    expect(() => expect(refused).toBeAllowed({ remaining: 1 })).toThrow(
      `expected the decision to be allowed with { remaining: 1 }, but limiter "login" says: "default" refused key 'bob' at a cost of 1 (limited): 0 of 2 left, again in 48000 ms`,
    )
    expect(() => expect(refused).not.toBeRefused()).toThrow('expected the decision not to be refused, but')
    expect(() => expect(refused).toBeRefused({ by: 'visitor', retryAfterMs: null })).toThrow(
      'expected the decision to be refused with { by: "visitor", retryAfterMs: null }, but',
    )
  })

  it('show each policy, and what never passes', async () => {
    const policies = { visitor: gcra({ count: 5, period: '1m' }), zoo: gcra({ count: 10, period: '1m' }) }
    const decision = await refusingLimiter({ policies, by: 'zoo', reason: 'denied' }).check(['bob', 7])
    expect(() => expect(decision).toBeAllowed()).toThrow(
      [
        `expected the decision to be allowed, but limiter "default" says: "zoo" refused key [ 'bob', 7 ] at a cost of 1 (denied): 0 of 0 left, waiting never helps`,
        `  "visitor" allowed key [ 'bob', 7 ] at a cost of 1: 4 of 5 left, all of it in 0 ms`,
        `  "zoo" refused key [ 'bob', 7 ] at a cost of 1 (denied): 0 of 0 left, waiting never helps`,
      ].join('\n'),
    )
  })

  it.each([
    ['a promise', limiter().check('bob'), "a limiter's decision, such as that of check(): await the promise"],
    ['a response', { status: 429 }, "a limiter's decision, such as that of check(), got an object"],
    ['nothing', undefined, "a limiter's decision, such as that of check(), got undefined"],
  ])('refuse %s, also where they are reversed', (_title, received, words) => {
    expect(() => expect(received).toBeAllowed()).toThrow(words)
    expect(() => expect(received).not.toBeRefused()).toThrow(words)
  })

  it('refuse a fact that is misspelt', async () => {
    const decision = await limiter().check('bob')
    expect(() => expect(decision).toBeAllowed({ remainig: 1 } as object)).toThrow('did you mean "remaining"')
    expect(() => expect(decision).toBeAllowed({ reason: 'limited' } as object)).toThrow('reason: expected')
  })
})

describe('the assertions', () => {
  it('pass, or throw what the matchers say', async () => {
    const { check } = limiter()
    const allowed = await check('bob')
    assertAllowed(allowed, { remaining: 1 })
    const { retryAfterMs }: { retryAfterMs: null } = allowed
    expect(retryAfterMs).toBeNull()
    expect(() => assertRefused(allowed)).toThrow(AssertionError)
    expect(() => assertRefused(allowed)).toThrow('"default" allowed key \'bob\' at a cost of 1: 1 of 2 left')
    expect(() => assertAllowed(allowed, { remaining: 0 })).toThrow('to be allowed with { remaining: 0 }')
    const refused = await refusingLimiter({ retryAfter: '30s' }).check('bob')
    assertRefused(refused, { by: 'default', retryAfterMs: 30_000 })
  })
})
