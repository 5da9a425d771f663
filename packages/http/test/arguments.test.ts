import { expect, it } from '@jest/globals'
import { fixedWindow, memoryStore } from '@sluice/core'
import { guardRequest, guardUpgrade } from '../src/index.ts'

it.each([guardRequest, guardUpgrade])(
  '%p refuses a store beside its options, as it would not be used',
  (make) => {
    const asInJavaScript = make as (...given: readonly unknown[]) => unknown
    expect(() => asInJavaScript({ policy: fixedWindow({ limit: 5, window: '1m' }) }, memoryStore())).toThrow(
      'arguments[1]: expected nothing, as the store is an option: { …, store }, got an object (MemoryStore)',
    )
  },
)
