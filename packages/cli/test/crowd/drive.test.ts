import { setImmediate } from 'node:timers/promises'
import { expect, it } from '@jest/globals'
import { type Drive, drive } from '../../src/crowd/drive.ts'
import { maxAtOnce } from '../../src/crowd/endpoint-client.ts'
import type { Ask } from '../../src/crowd/plan.ts'

function asks(count: number, atMs: number): readonly Ask[] {
  return Array.from({ length: count }, (_, i) => ({ atMs, visitor: `client-${i}` }))
}

function setting(own: Partial<Drive>): Drive {
  const begunMs = performance.now()
  return {
    ask: async () => {},
    elapsedMs: () => performance.now() - begunMs,
    endMs: Number.POSITIVE_INFINITY,
    signal: new AbortController().signal,
    ...own,
  }
}

it('lets all ask once, in their order, and each no earlier than it is time', async () => {
  const plan = [0, 20, 45, 80].map((atMs, i) => ({ atMs, visitor: `client-${i}` }))
  const begunMs = performance.now()
  const elapsedMs = () => performance.now() - begunMs
  const asked: { visitor: string; early: boolean }[] = []
  const unsent = await drive(
    plan,
    setting({
      elapsedMs,
      async ask(visitor) {
        asked.push({ visitor, early: elapsedMs() < (plan[asked.length]?.atMs ?? 0) })
      },
    }),
  )
  expect(unsent).toBe(0)
  expect(asked).toEqual(plan.map(({ visitor }) => ({ visitor, early: false })))
})

it('has a bounded number under way at the same time', async () => {
  let underWay = 0
  let most = 0
  await drive(
    asks(1000, 0),
    setting({
      async ask() {
        most = Math.max(most, ++underWay)
        await setImmediate()
        underWay--
      },
    }),
  )
  expect(most).toBe(maxAtOnce)
})

it('lets nobody set out after the end, and counts those who did not', async () => {
  let elapsed = 0
  const unsent = await drive(
    asks(1000, 0),
    setting({
      elapsedMs: () => elapsed,
      endMs: 100,
      async ask() {
        await setImmediate()
        elapsed++
      },
    }),
  )
  // All that were under way when the end came were sent.
  expect(unsent).toBe(1000 - 101 - (maxAtOnce - 1))
})

it('lets nobody else set out once it is aborted, and waits for those under way', async () => {
  const stop = new AbortController()
  let heard = 0
  const unsent = await drive(
    [...asks(3, 0), ...asks(7, 60_000)],
    setting({
      endMs: 70_000,
      signal: stop.signal,
      async ask() {
        await setImmediate()
        if (++heard === 2) stop.abort()
      },
    }),
  )
  expect({ unsent, heard }).toEqual({ unsent: 7, heard: 3 })
})
