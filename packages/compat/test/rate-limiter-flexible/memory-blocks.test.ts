import { expect, jest, test } from '@jest/globals'
import { MemoryBlocks } from '../../src/rate-limiter-flexible/memory-blocks.ts'

test('a block of milliseconds that this process keeps is not taken for one of seconds', async () => {
  const warned = jest.spyOn(console, 'warn').mockImplementation(() => {})
  const blocks = new MemoryBlocks()
  await blocks.add('eve', 500)
  expect(await blocks.msLeft('eve')).toBeGreaterThan(400)
  expect(warned).not.toHaveBeenCalled()
})
