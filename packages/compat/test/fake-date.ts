import { jest } from '@jest/globals'

/** Stops the time of `Date`, which memory counts by, until `jest.setSystemTime` moves it or `jest.useRealTimers` ends that. */
export function fakeDate(): void {
  jest.useFakeTimers({
    doNotFake: [
      'clearImmediate',
      'clearInterval',
      'clearTimeout',
      'hrtime',
      'nextTick',
      'performance',
      'queueMicrotask',
      'setImmediate',
      'setInterval',
      'setTimeout',
    ],
  })
}
