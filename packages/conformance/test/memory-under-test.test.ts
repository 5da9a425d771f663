import { expect, test } from '@jest/globals'
import { fixedWindow } from '@sluice/core'
import { askOne, checkOf, freshKey } from '../src/store/asking.ts'
import { memoryUnderTest } from '../src/store/memory-under-test.ts'

test('no history meets a store that is full of the keys of those before it', async () => {
  const { store, close } = await memoryUnderTest()
  const policy = fixedWindow({ limit: 1, window: '1h' })
  // More than a store keeps by default.
  for (let i = 0; i <= 100_000; i++) await askOne(store, checkOf(policy, freshKey()))
  expect(await askOne(store, checkOf(policy, freshKey()))).toMatchObject({ allowed: true })
  await close()
})
