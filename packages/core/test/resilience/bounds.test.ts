import { describe, expect, it } from '@jest/globals'
import { timesAsMuch } from '@sluice/conformance/internal'
import { type Check, fixedWindow } from '../../src/index.ts'
import { HeldKeys } from '../../src/resilience/held-keys.ts'
import { Refusals } from '../../src/resilience/refusals.ts'
import { makeRow } from '../../src/row.ts'

const secondUs = 1_000_000

function checkOf(key: string, policy: Check['policy'] = fixedWindow({ limit: 1, window: '1h' })): Check {
  return { id: 'zoo', policy, key, cost: 1, note: undefined, shadow: false, onStoreFailure: 'local' }
}

function refusedFor(retryAfterUs: number) {
  const numbers = { limit: 1, remaining: 0, retryAfterUs, resetAfterUs: retryAfterUs }
  return makeRow(numbers, 'limited', '')
}

describe('refusals that are kept', () => {
  it('are no more than they may be, and those that are over make room', () => {
    const refusals = new Refusals(50)
    const now = (nowUs: number) => ({ nowUs, maxWaitUs: 0, moment: 0 })
    const isKept = (key: string, nowUs: number) => refusals.rowFor(checkOf(key), now(nowUs)) !== undefined
    for (let i = 0; i < 49; i++) refusals.keep(checkOf(`long ${i}`), refusedFor(3600 * secondUs), now(0))
    refusals.keep(checkOf('short'), refusedFor(secondUs), now(0))
    refusals.keep(checkOf('too many'), refusedFor(3600 * secondUs), now(0))
    expect([isKept('long 7', 0), isKept('short', 0), isKept('too many', 0)]).toEqual([true, true, false])
    refusals.keep(checkOf('later'), refusedFor(3600 * secondUs), now(secondUs))
    expect([isKept('long 7', secondUs), isKept('later', secondUs)]).toEqual([true, true])
  })

  it('are not walked through for each new one', async () => {
    const full = (most: number) => {
      const refusals = new Refusals(most)
      for (let i = 0; i < most; i++) {
        refusals.keep(checkOf(`key ${i}`), refusedFor(1e6 * secondUs), { nowUs: 0, maxWaitUs: 0, moment: 0 })
      }
      return refusals
    }
    const [many, few] = [full(50_000), full(50)]
    const beyond = (refusals: Refusals) => {
      let nowUs = 0
      return () => {
        for (let i = 0; i < 1000; i++) {
          nowUs += 2 * secondUs
          refusals.keep(checkOf(`new ${i}`), refusedFor(secondUs), { nowUs, maxWaitUs: 0, moment: 0 })
        }
      }
    }
    // A walk through a thousand times as many would be a thousand times as long.
    expect(await timesAsMuch(beyond(many), beyond(few))).toBeLessThan(50)
    expect(many.waitUsFor(checkOf('key 0'), 0)).toBe(1e6 * secondUs)
  })
})

describe('keys that are held', () => {
  it('are no more than they may be, the latest ones, even behind one that matters for a day', () => {
    const keys = new HeldKeys(100)
    keys.holdUntil(checkOf('long'), 86_400 * secondUs, 0)
    for (let i = 0; i < 1000; i++) keys.holdUntil(checkOf(`key ${i}`), 60 * secondUs + i, i)
    expect(keys.size).toBeLessThanOrEqual(100)
    expect(keys.isHeld(checkOf('key 999'), 1000)).toBe(true)
    expect(keys.isHeld(checkOf('key 0'), 1000)).toBe(false)
  })

  it('are forgotten a little at a time, once they no longer matter', () => {
    const keys = new HeldKeys(100)
    for (let i = 0; i < 50; i++) keys.letGo(checkOf(`key ${i}`), 1 + i)
    for (let i = 0; i < 10; i++) keys.holdUntil(checkOf('another'), 3 * secondUs, 2 * secondUs)
    expect(keys.size).toBe(1)
  })
})
