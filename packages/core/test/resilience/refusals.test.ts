import { describe, expect, it } from '@jest/globals'
import { type Check, fixedWindow, type Policy, type StoreRow } from '../../src/index.ts'
import { Refusals } from '../../src/resilience/refusals.ts'

const second = 1_000_000
const policy = fixedWindow({ limit: 1, window: '1m' })
const refused: StoreRow = {
  allowed: false,
  reason: 'limited',
  limit: 1,
  remaining: 0,
  retryAfterUs: 10 * second,
  resetAfterUs: 10 * second,
  waitUs: 0,
  receipt: '',
}

function checkOf(key: string): Check {
  return { id: 'api', policy, key, cost: 1, note: undefined, shadow: false, onStoreFailure: 'local' }
}

describe('kept refusals are bounded', () => {
  function holding(...keys: readonly string[]) {
    const refusals = new Refusals(2)
    const keep = (key: string, nowUs: number) =>
      refusals.keep(checkOf(key), refused, { nowUs, maxWaitUs: 0, moment: 0 })
    const isKept = (key: string, nowUs: number) =>
      refusals.rowFor(checkOf(key), { nowUs, maxWaitUs: 0 }) !== undefined
    for (const key of keys) keep(key, 0)
    return { refusals, keep, isKept }
  }

  it('further ones are not kept, and those there are stay', () => {
    const { isKept } = holding('a', 'b', 'c')
    expect(['a', 'b', 'c'].map((key) => isKept(key, second))).toEqual([true, true, false])
  })

  it('one that is there is kept anew', () => {
    const { keep, isKept } = holding('a', 'b')
    keep('a', 5 * second)
    expect(['a', 'b'].map((key) => isKept(key, 12 * second))).toEqual([true, false])
  })

  it('those that are over, or were dropped, make room', () => {
    const { refusals, keep, isKept } = holding('a', 'b')
    keep('c', 10 * second)
    expect(isKept('c', 11 * second)).toBe(true)
    keep('d', 11 * second)
    keep('e', 11 * second)
    refusals.drop(checkOf('c'))
    keep('f', 11 * second)
    expect(['c', 'd', 'e', 'f'].map((key) => isKept(key, 12 * second))).toEqual([false, true, false, true])
  })
})

describe('refusals of different costs', () => {
  function keeping(...kept: readonly (readonly [cost: number, seconds: number])[]) {
    const refusals = new Refusals(2)
    for (const [cost, seconds] of kept) {
      const row = { ...refused, retryAfterUs: seconds * second }
      refusals.keep({ ...checkOf('a'), cost }, row, { nowUs: 0, maxWaitUs: 0, moment: 0 })
    }
    return (cost: number, atSeconds: number) => {
      const row = refusals.rowFor({ ...checkOf('a'), cost }, { nowUs: atSeconds * second, maxWaitUs: 0 })
      return row === undefined ? undefined : row.retryAfterUs / second
    }
  }

  it.each([
    [
      [1, 10],
      [3, 30],
    ],
    [
      [3, 30],
      [1, 10],
    ],
  ] as const)('%j, then %j: each holds as long as the store said', (first, then) => {
    const waits = keeping(first, then)
    expect([1, 2, 3, 4].map((cost) => waits(cost, 1))).toEqual([9, 9, 29, 29])
    expect([1, 2, 3, 4].map((cost) => waits(cost, 10))).toEqual([undefined, undefined, 20, 20])
    expect(waits(3, 30)).toBe(undefined)
  })

  it.each([
    [
      [4, 5],
      [21, 30],
      [10, 15],
    ] as const,
    [
      [10, 15],
      [4, 5],
      [21, 30],
    ] as const,
    [
      [21, 30],
      [10, 15],
      [4, 5],
    ] as const,
  ])('%j, %j and %j: each holds for the costs up to the next', (...kept) => {
    const waits = keeping(...kept)
    expect([3, 4, 9, 10, 20, 21].map((cost) => waits(cost, 1))).toEqual([undefined, 4, 4, 14, 14, 29])
    expect([4, 10, 20, 21].map((cost) => waits(cost, 5))).toEqual([undefined, 10, 10, 25])
    expect([10, 20, 21].map((cost) => waits(cost, 15))).toEqual([undefined, undefined, 15])
  })

  it('of more than four the lowest and the highest are among those that are kept', () => {
    const waits = keeping([1, 10], [2, 20], [3, 30], [4, 40], [5, 50])
    expect([1, 2, 3, 4, 5].map((cost) => waits(cost, 1))).toEqual([9, 9, 29, 39, 49])
  })

  it('the latest holds for its own cost, also where it ends sooner', () => {
    const waits = keeping([1, 30], [1, 10])
    expect(waits(1, 9)).toBe(1)
    expect(waits(1, 10)).toBe(undefined)
  })
})

describe('refusals by different numbers', () => {
  const longer = fixedWindow({ limit: 1, window: '1h' })
  const blocked: StoreRow = { ...refused, reason: 'blocked' }

  function keeping(...kept: readonly (readonly [Policy, seconds: number, row?: StoreRow])[]) {
    const refusals = new Refusals(2)
    for (const [by, seconds, row = refused] of kept) {
      const check = { ...checkOf('a'), policy: by }
      refusals.keep(check, { ...row, retryAfterUs: seconds * second }, { nowUs: 0, maxWaitUs: 0, moment: 0 })
    }
    const waits = (by: Policy) => {
      const row = refusals.rowFor({ ...checkOf('a'), policy: by }, { nowUs: 0, maxWaitUs: 0 })
      return row === undefined ? undefined : row.retryAfterUs / second
    }
    return { refusals, waits }
  }

  it('each holds for calls by its own', () => {
    const { waits } = keeping([longer, 30], [policy, 10])
    expect([waits(longer), waits(policy)]).toEqual([30, 10])
    expect(waits(fixedWindow({ limit: 1, window: '1m' }))).toBe(10)
    expect(waits(fixedWindow({ limit: 2, window: '1m' }))).toBe(undefined)
  })

  it('an admission by some numbers leaves the refusals by others', () => {
    const { refusals, waits } = keeping([longer, 30], [policy, 10])
    refusals.drop({ ...checkOf('a'), policy })
    expect([waits(longer), waits(policy)]).toEqual([30, undefined])
    refusals.free(checkOf('a'))
    expect(waits(longer)).toBe(undefined)
  })

  it.each([
    [
      [longer, 30],
      [policy, 20, blocked],
    ],
    [
      [policy, 20, blocked],
      [longer, 30],
    ],
  ] as const)('a block holds for all', (...kept) => {
    const { refusals, waits } = keeping(...kept)
    expect([waits(longer), waits(policy)]).toEqual([30, 20])
    expect(refusals.mostFor({ ...checkOf('a'), policy: longer }, 0)).toBe(0)
    refusals.forgive(checkOf('a'))
    expect([waits(longer), waits(policy)]).toEqual([30, 20])
  })

  it('a block has the limit of the call that it refuses', () => {
    const { refusals } = keeping([policy, 20, blocked])
    const wider = { ...checkOf('a'), policy: fixedWindow({ limit: 7, window: '1m' }) }
    expect(refusals.rowFor(wider, { nowUs: 0, maxWaitUs: 0 })).toMatchObject({ reason: 'blocked', limit: 7 })
  })

  it('a block that lasts longer takes the place of refusals by any numbers', () => {
    const { waits } = keeping([longer, 10], [policy, 20, blocked])
    expect([waits(longer), waits(policy)]).toEqual([20, 20])
  })

  it('a key keeps a bounded number of them', () => {
    const limits = Array.from({ length: 9 }, (_, i) => fixedWindow({ limit: 2 + i, window: '1m' }))
    const { waits } = keeping(...limits.map((by) => [by, 10] as const))
    expect(limits.filter((by) => waits(by) !== undefined)).toHaveLength(4)
    expect(waits(limits[8] ?? policy)).toBe(10)
  })
})

describe('a refusal from before a change of its key', () => {
  const { moment: first } = new Refusals(10)

  function isKept(refusals: Refusals, { key = 'a', moment = first } = {}): boolean {
    const at = { nowUs: 0, maxWaitUs: 0 }
    refusals.keep(checkOf(key), refused, { ...at, moment })
    return refusals.rowFor(checkOf(key), at) !== undefined
  }

  it.each(['forgive', 'free'] as const)('is not kept when it is heard after it: %s', (change) => {
    const refusals = new Refusals(10)
    refusals[change](checkOf('a'))
    expect(isKept(refusals)).toBe(false)
    expect(isKept(refusals, { key: 'b' })).toBe(true)
    expect(isKept(refusals, { moment: refusals.moment })).toBe(true)
  })

  it('is not kept either where more keys were changed since than are known', () => {
    const refusals = new Refusals(10)
    for (let i = 0; i < 1000; i++) refusals.free(checkOf(`changed ${i}`))
    expect(isKept(refusals, { key: 'b' })).toBe(true)
    refusals.free(checkOf('one more'))
    expect(isKept(refusals, { key: 'changed 0' })).toBe(false)
    expect(isKept(refusals, { key: 'c' })).toBe(false)
    expect(isKept(refusals, { key: 'c', moment: first + 1 })).toBe(true)
    refusals.free(checkOf('another'))
    expect(isKept(refusals, { key: 'd', moment: first + 1 })).toBe(false)
    expect(isKept(refusals, { key: 'd', moment: first + 2 })).toBe(true)
  })
})
