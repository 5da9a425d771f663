import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { SlotSet } from '../../src/memory/slot-set.ts'

// Up to three levels of words.
const slots = fc.oneof(fc.nat(60), fc.nat(40_000))
const acts = fc.array(fc.tuple(slots, fc.boolean()), { maxLength: 200 })

describe('slots in no order', () => {
  it('are there from when they are put in until they are taken out', () => {
    fc.assert(
      fc.property(acts, (all) => {
        const set = new SlotSet()
        const model = new Set<number>()
        for (const [slot, isIn] of all) {
          if (isIn) set.add(slot)
          else set.remove(slot)
          if (isIn) model.add(slot)
          else model.delete(slot)
          expect(set.has(slot)).toBe(model.has(slot))
          expect(set.any === -1 ? model.size === 0 : model.has(set.any)).toBe(true)
        }
        for (const slot of model) expect(set.has(slot)).toBe(true)
      }),
    )
  })

  it('are picked one after another until none is left', () => {
    const set = new SlotSet()
    for (let slot = 0; slot < 70_000; slot += 7) set.add(slot)
    const picked = new Set<number>()
    for (let slot = set.any; slot >= 0; slot = set.any) {
      picked.add(slot)
      set.remove(slot)
    }
    expect(picked.size).toBe(10_000)
  })
})
