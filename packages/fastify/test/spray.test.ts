import { expect, it } from '@jest/globals'
import { inWorld, sprayed } from '@sluice/conformance/adapter'
import { start } from './start.ts'

it('twenty thousand keys of 1 KiB: memory keeps its bound, and an exhausted key stays exhausted', async () => {
  await inWorld(start, async (world) => {
    const grownBytes = await sprayed(world, { keys: 20_000, maxKeys: 1000 })
    // The keys alone are 20 MiB.
    expect(grownBytes).toBeLessThan(10 * 2 ** 20)
  })
})
