import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { SlotHeap } from '../../src/memory/slot-heap.ts'
import { SlotList } from '../../src/memory/slot-list.ts'

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

describe('slots in no order', () => {
  it('are there from when they are put in until they are taken out', () => {
    fc.assert(
      fc.property(acts, (all) => {
        const list = new SlotList()
        const model = new Set<number>()
        for (const [slot, at] of all) {
          if (at === undefined) list.remove(slot)
          else if (!list.has(slot)) list.add(slot)
          if (at === undefined) model.delete(slot)
          else model.add(slot)
          expect(list.has(slot)).toBe(model.has(slot))
          expect(list.any === -1 ? model.size === 0 : model.has(list.any)).toBe(true)
        }
      }),
    )
  })
})
