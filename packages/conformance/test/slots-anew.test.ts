import { expect, test } from '@jest/globals'
import { multiWindow } from '@sluice/core'
import { memoryUnderTest } from '../src/store/memory-under-test.ts'
import { withSpans } from '../src/store/samples/short-spans.ts'
import { playTrace } from '../src/store/trace-run.ts'
import type { Act } from '../src/store/traces.ts'

const windowOf = (windowUs: number) =>
  withSpans((duration) =>
    multiWindow({ limits: [{ limit: 5, window: duration(windowUs) }], slot: duration(windowUs / 2) }),
  )
const sample = {
  policy: windowOf(1_000_000),
  other: windowOf(2),
  spanUs: 1_000_000,
  capacity: 5,
  rules: [],
  breach: () => undefined,
}
const clock = { by: 'us', us: 2 } as const
const check: Act = { act: 'check', share: 0.2, other: false }
const refund: Act = { act: 'settle', of: 0, share: 0 }

async function lastOf(acts: readonly Act[]): Promise<unknown> {
  const steps = acts.map((act) => ({ clock, second: false, note: 0, act }))
  const played = await playTrace(await memoryUnderTest(), { sample, startUs: 0, steps })
  return played.at(-1)?.saw
}

test('a slot is anew once other numbers have met the key and it is charged again', async () => {
  const peek: Act = { act: 'peek', share: 0.2, other: true }
  expect(await lastOf([check, peek, check, refund])).toBe('a slot anew')
  const reward: Act = { act: 'reward', units: 1, other: true }
  expect(await lastOf([check, reward, check, refund])).toBe('a slot anew')
  expect(await lastOf([check, peek, refund])).toBe(-1)
  expect(await lastOf([check, check, refund])).toBe(-1)
  expect(await lastOf([peek, check, check, refund])).toBe(-1)
})
