import { describe, expect, it } from '@jest/globals'
import { fixedWindow, leakyBucket } from '../../src/index.ts'
import { Charges } from '../../src/resilience/charges.ts'
import { Mirror } from '../../src/resilience/mirror.ts'
import { makeRow } from '../../src/row.ts'
import type { Change, Check } from '../../src/store.ts'

const policy = fixedWindow({ limit: 1000, window: '64s' })
const secondUs = 1_000_000

function checkOf(key: string, id = 'suite:policy:fw'): Check {
  return { id, key, policy, cost: 1, note: undefined, shadow: false, onStoreFailure: 'local' }
}

function charging(most = 100) {
  const counted: [key: string, units: number, atUs: number][] = []
  const count = ({ check, byUnits }: Change, atUs: number) => {
    counted.push([check.key, byUnits, atUs])
  }
  return { counted, charges: new Charges(most, count) }
}

describe('what the store took from a key', () => {
  it('is counted once for as long as units lie close together, from the latest on', () => {
    const { counted, charges } = charging()
    for (let i = 0; i < 1000; i++) charges.add(checkOf('busy'), 2, i * 500)
    expect(counted).toEqual([])
    charges.count(checkOf('busy'))
    expect(counted).toEqual([['busy', 2000, 999 * 500]])
    charges.count(checkOf('busy'))
    expect(counted).toHaveLength(1)
  })

  it('is counted at its own times where they lie further apart than a 64th of what the policy remembers', () => {
    const { counted, charges } = charging()
    charges.add(checkOf('slow'), 1, 0)
    charges.add(checkOf('slow'), 1, secondUs)
    charges.add(checkOf('slow'), 1, 2 * secondUs + 1)
    charges.count(checkOf('slow'))
    expect(counted).toEqual([
      ['slow', 2, secondUs],
      ['slow', 1, 2 * secondUs + 1],
    ])
  })

  it('is counted together once it was taken at nine times, and not before', () => {
    const { counted, charges } = charging()
    for (let i = 0; i < 9; i++) charges.add(checkOf('slow'), 1, 2 * i * secondUs)
    expect(counted).toEqual([])
    charges.add(checkOf('slow'), 1, 18 * secondUs)
    expect(counted).toEqual(Array.from({ length: 9 }, (_, i) => ['slow', 1, 2 * i * secondUs]))
    charges.count(checkOf('slow'))
    expect(counted.slice(9)).toEqual([['slow', 1, 18 * secondUs]])
  })

  it('is counted with what came soon after the first of it only, however busy the key is', () => {
    const { counted, charges } = charging()
    for (let i = 0; i <= 4; i++) charges.add(checkOf('busy'), 1, (i * secondUs) / 2)
    charges.count(checkOf('busy'))
    expect(counted).toEqual([
      ['busy', 3, secondUs],
      ['busy', 2, 2 * secondUs],
    ])
  })

  it('is counted apart from what comes after the end of a window of the calendar', () => {
    const { counted, charges } = charging()
    const quota = fixedWindow({ limit: 1000, every: 'month', timeZone: 'Europe/Vienna' })
    const endUs = Date.parse('2024-02-29T23:00Z') * 1000
    for (const atUs of [endUs - 2, endUs - 1, endUs, endUs + 1])
      charges.add({ ...checkOf('busy'), policy: quota }, 1, atUs)
    charges.count(checkOf('busy'))
    expect(counted).toEqual([
      ['busy', 2, endUs - 1],
      ['busy', 2, endUs + 1],
    ])
  })

  it('is counted by the numbers of its own policy', () => {
    const { counted, charges } = charging()
    const plan = fixedWindow({ limit: 5, window: '64s' })
    charges.add(checkOf('bob'), 1, 0)
    charges.add({ ...checkOf('bob'), policy: plan }, 2, 1)
    expect({ counted, size: charges.size }).toEqual({ counted: [['bob', 1, 0]], size: 1 })
  })

  it('is forgotten with the key', () => {
    const { counted, charges } = charging()
    charges.add(checkOf('bob'), 1, 0)
    charges.forget(checkOf('bob'))
    charges.count(checkOf('bob'))
    expect({ counted, size: charges.size }).toEqual({ counted: [], size: 0 })
  })

  it('is kept apart by policy and by key', () => {
    const { counted, charges } = charging()
    for (const id of ['one', 'other']) for (const key of ['a', 'b']) charges.add(checkOf(key, id), 1, 0)
    charges.count(checkOf('a', 'one'))
    expect({ counted, size: charges.size }).toEqual({ counted: [['a', 1, 0]], size: 3 })
  })

  it('is counted before others find no room: the oldest of its policy, or of another', () => {
    const { counted, charges } = charging(2)
    charges.add(checkOf('first'), 1, 0)
    charges.add(checkOf('second'), 1, 1)
    charges.add(checkOf('third'), 1, 2)
    charges.add(checkOf('fourth', 'another'), 1, 3)
    expect(counted).toEqual([
      ['first', 1, 0],
      ['second', 1, 1],
    ])
    expect(charges.size).toBe(2)
  })
})

describe('what is noted of many keys', () => {
  it('is as much as a policy remembers, however many come', () => {
    const { charges } = charging(1_000_000)
    const sizes = Array.from({ length: 3000 }, (_, i) => {
      charges.add(checkOf(`visitor ${i}`), 1, i * secondUs)
      return charges.size
    })
    expect(Math.max(...sizes)).toBe(64)
  })

  it('shrinks again after a crowd', () => {
    const { charges } = charging(1_000_000)
    for (let i = 0; i < 1000; i++) charges.add(checkOf(`crowd ${i}`), 1, 0)
    for (let i = 0; i < 2000; i++) charges.add(checkOf(`visitor ${i}`), 1, (64 + i) * secondUs)
    expect(charges.size).toBe(64)
  })

  it('is handed on with its own time, so that what has been reserved for longer is not lost', () => {
    const { counted, charges } = charging()
    charges.add(checkOf('patient'), 5000, 0)
    charges.add(checkOf('bob'), 1, 64 * secondUs)
    expect(counted).toEqual([['patient', 5000, 0]])
  })
})

describe('an outage of a store that has taken from a key', () => {
  let nowUs = 0
  const clock = { nowUs: () => nowUs }

  /** What a process allows of five requests after it has heard of these, one at each instant. */
  function allowed(
    checks: readonly Check[],
    heardUs: readonly number[],
    thenUs: number,
    processes = 1,
  ): number {
    const mirror = new Mirror({ maxKeys: 10, processes: () => processes, clock })
    const question = { checks, charge: 'all-or-nothing', maxWaitUs: 0, take: true } as const
    const row = makeRow({ limit: 4, remaining: 3, retryAfterUs: 0, resetAfterUs: 1 }, null, 'taken')
    for (const us of heardUs) {
      nowUs = us
      mirror.heard(question, [row], mirror.moment)
    }
    nowUs = thenUs
    return Array.from({ length: 5 }, () => mirror.answer(question)).filter(([row]) => row?.allowed).length
  }

  it('finds of a busy key what was taken in the window that runs', () => {
    const hourly = fixedWindow({ limit: 4, window: '1h', start: 'clock' })
    const startUs = 1_699_999_200_000_000
    const heard = Array.from({ length: 181 }, (_, i) => startUs - (180 - i) * 20 * secondUs)
    expect(allowed([{ ...checkOf('busy'), policy: hourly }], heard, startUs + secondUs)).toBe(3)
  })

  it('goes over the end of a window of the calendar: the whole share is there again', () => {
    const quota = fixedWindow({ limit: 4, every: 'month', timeZone: 'Europe/Vienna' })
    const checks = [{ ...checkOf('busy'), policy: quota }]
    const endUs = Date.parse('2024-02-29T23:00Z') * 1000
    const heard = [endUs - 3 * secondUs, endUs - 2 * secondUs, endUs - secondUs]
    expect(allowed(checks, heard, endUs - 1)).toBe(1)
    expect(allowed(checks, heard, endUs)).toBe(4)
    expect(allowed(checks, heard, endUs - 1, 2)).toBe(0)
    expect(allowed(checks, heard, endUs, 2)).toBe(2)
    expect(allowed(checks, [...heard, endUs], endUs + 1)).toBe(3)
  })
})

describe('a bucket that is taken from at several times, when the store fails later', () => {
  const clock = { us: 0, nowUs: () => clock.us }
  const bucket = leakyBucket({ capacity: 4, count: 1, period: '1s', maxDebt: '8s' })
  const row = makeRow({ limit: 4, remaining: 3, retryAfterUs: 0, resetAfterUs: 1 }, null, 'taken')

  function questionOf(key: string) {
    const checks = [{ ...checkOf(key, 'suite:policy:lb'), policy: bucket }]
    return { checks, charge: 'all-or-nothing', maxWaitUs: 0, take: true } as const
  }

  /** What passes of five requests, when the store has taken a unit at each of these seconds. */
  function allowed(heardS: readonly number[], thenS: number, othersFirst: number): number {
    const mirror = new Mirror({ maxKeys: 100, processes: () => 1, clock })
    for (const s of heardS) {
      clock.us = s * secondUs
      mirror.heard(questionOf('bob'), [row], mirror.moment)
    }
    clock.us = thenS * secondUs
    for (let i = 0; i < othersFirst; i++) mirror.answer(questionOf(`other ${i}`))
    const question = questionOf('bob')
    return Array.from({ length: 5 }, () => mirror.answer(question)).filter(([row]) => row?.allowed).length
  }

  it('has run dry by as much as time has passed, whatever other keys are asked first', () => {
    // 1 at 0 s, 1.9 at 0.1 s, 2.8 at 0.2 s, 3.7 at 0.3 s: 0.9 are left at 3.1 s, though the first two alone are gone since 2.1 s.
    expect(allowed([0, 0.1, 0.2, 0.3], 3.1, 0)).toBe(3)
    expect(allowed([0, 0.1, 0.2, 0.3], 3.1, 10)).toBe(3)
  })

  it('still has what was reserved at several times, none of which is beyond the limit by itself', () => {
    // 7.3 at 0.7 s: 3.2 are left at 4.8 s, when each of these units alone is long gone.
    const heardS = Array.from({ length: 8 }, (_, i) => i / 10)
    expect(allowed(heardS, 4.8, 0)).toBe(0)
    expect(allowed(heardS, 4.8, 10)).toBe(0)
  })

  it('still has what was counted before the latest were noted, though that alone is gone', () => {
    // 10.9 at 1.1 s: 2 are left at 10 s. The first nine, which are counted together, alone are gone at 9 s.
    const heardS = Array.from({ length: 12 }, (_, i) => i / 10)
    expect(allowed(heardS, 10, 0)).toBe(2)
    expect(allowed(heardS, 10, 10)).toBe(2)
  })
})

describe('what a process keeps of a store that answers', () => {
  const nowUs = () => 0

  function heard(mirror: Mirror, key: string): void {
    const row = makeRow({ limit: 1000, remaining: 999, retryAfterUs: 0, resetAfterUs: 1 }, null, 'taken')
    const question = { checks: [checkOf(key)], charge: 'all-or-nothing', maxWaitUs: 0, take: true } as const
    mirror.heard(question, [row], mirror.moment)
  }

  it('is of maxKeys keys in memory and as many that are noted, each counted once', () => {
    const mirror = new Mirror({ maxKeys: 10, processes: () => 1, clock: { nowUs } })
    for (const key of ['a', 'b']) heard(mirror, key)
    mirror.answer({ checks: [checkOf('a')], charge: 'all-or-nothing', maxWaitUs: 0, take: true })
    heard(mirror, 'a')
    expect(mirror.keys).toBe(2)
    for (let i = 0; i < 100; i++) heard(mirror, `key ${i}`)
    expect(mirror.keys).toBe(20)
  })
})
