import { expect, it } from '@jest/globals'
import { heapBytes, inWorld, sprayed } from '@sluice/conformance/adapter'
import { start } from './start.ts'

it('eight thousand keys of 1 KiB: memory keeps its bound, and an exhausted key stays exhausted', async () => {
  await inWorld(start, async (world) => {
    const grownBytes = await sprayed(world, { keys: 8000, maxKeys: 400, heap: heapBytes })
    // The keys alone are 8 MiB.
    expect(grownBytes).toBeLessThan(4 * 2 ** 20)
  })
})
