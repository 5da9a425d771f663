import { expect, it } from '@jest/globals'
import { fixedWindow, memoryStore } from '@sluice/core'
import { guardRequest, guardUpgrade, mergeUpstream } from '../src/index.ts'

it.each([guardRequest, guardUpgrade])(
  '%p refuses a store beside its options, as it would not be used',
  (make) => {
    const asInJavaScript = make as (...given: readonly unknown[]) => unknown
    expect(() => asInJavaScript({ policy: fixedWindow({ limit: 5, window: '1m' }) }, memoryStore())).toThrow(
      'arguments[1]: expected nothing, as the store is an option: { …, store }, got an object (MemoryStore)',
    )
  },
)

it.each([
  [[], 'request: expected an object, got undefined'],
  [['bob', {}], 'request: expected an object, got "bob" (string)'],
  [[{}], 'headers: expected an object, got undefined'],
  [[{}, null], 'headers: expected an object, got null'],
])('mergeUpstream says which argument is wrong of %j', (given, message) => {
  const asInJavaScript = mergeUpstream as (...given: readonly unknown[]) => unknown
  expect(() => asInJavaScript(...given)).toThrow(message)
})
