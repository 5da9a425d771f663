import { describe, expect, it } from '@jest/globals'
import { fixedWindow } from '../../src/index.ts'
import { KeyTable } from '../../src/memory/table.ts'
import { partsOf } from '../../src/strategies/policy-parts.ts'

const second = 1_000_000
const { definition, numbers } = partsOf(fixedWindow({ limit: 1, window: '1m' }))

/** Whose state goes while it still matters, so that the key is another count from then on. */
function loseAt(table: KeyTable, key: string, nowUs: number): void {
  const slot = table.add(key)
  table.save(slot, { endUs: nowUs + 60 * second, count: 1 }, numbers)
  table.note(slot, nowUs)
  table.drop(slot)
}

describe('which keys a table has counted anew', () => {
  it('is asked for without changing it: as long as it matters the table is in use', () => {
    const table = new KeyTable('id', definition)
    loseAt(table, 'bob', second)
    expect(table.isUnused(61 * second - 1)).toBe(false)
    expect(table.isUnused(61 * second)).toBe(true)
    expect(table.eraOf('bob')).toBe('1')
    expect(table.isUnused(61 * second - 1)).toBe(false)
  })

  it('is forgotten by the next that comes when it no longer matters', () => {
    const table = new KeyTable('id', definition)
    loseAt(table, 'bob', second)
    loseAt(table, 'eve', 61 * second - 1)
    expect(table.eraOf('bob')).toBe('1')
    // Together they matter until the last of them does.
    loseAt(table, 'zoe', 121 * second)
    expect(['bob', 'eve', 'zoe'].map((key) => table.eraOf(key))).toEqual(['', '', '3'])
  })
})
