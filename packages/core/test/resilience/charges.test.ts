import { describe, expect, it } from '@jest/globals'
import { fixedWindow } from '../../src/index.ts'
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
    expect(counted).toEqual([['slow', 2, secondUs]])
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

  it('is told apart by policy and by key', () => {
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

describe('what a process keeps of a store that answers', () => {
  const nowUs = () => 0

  function heard(mirror: Mirror, key: string): void {
    const row = makeRow({ limit: 1000, remaining: 999, retryAfterUs: 0, resetAfterUs: 1 }, null, 'taken')
    const question = { checks: [checkOf(key)], charge: 'all-or-nothing', maxWaitUs: 0, take: true } as const
    mirror.heard(question, [row])
  }

  it('is of maxKeys keys in memory and as many that are noted, each told once', () => {
    const mirror = new Mirror({ maxKeys: 10, processes: () => 1, clock: { nowUs } })
    for (const key of ['a', 'b']) heard(mirror, key)
    mirror.decide({ checks: [checkOf('a')], charge: 'all-or-nothing', maxWaitUs: 0, take: true })
    heard(mirror, 'a')
    expect(mirror.keys).toBe(2)
    for (let i = 0; i < 100; i++) heard(mirror, `key ${i}`)
    expect(mirror.keys).toBe(20)
  })
})
