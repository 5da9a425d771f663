import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { SlotHeap } from '../../src/memory/slot-heap.ts'

const slots = fc.nat(60)
const acts = fc.array(fc.tuple(slots, fc.option(fc.nat(30), { nil: undefined })), { maxLength: 200 })

describe('slots by an instant', () => {
  it('have the soonest first, whatever was put in, moved and taken out', () => {
    fc.assert(
      fc.property(acts, (all) => {
        const heap = new SlotHeap()
        const model = new Map<number, number>()
        for (const [slot, atUs] of all) {
          if (atUs === undefined) heap.remove(slot)
          else heap.set(slot, atUs)
          if (atUs === undefined) model.delete(slot)
          else model.set(slot, atUs)
          expect(heap.firstUs).toBe(Math.min(Number.POSITIVE_INFINITY, ...model.values()))
          expect(model.get(heap.first) ?? Number.POSITIVE_INFINITY).toBe(heap.firstUs)
        }
      }),
    )
  })
})
