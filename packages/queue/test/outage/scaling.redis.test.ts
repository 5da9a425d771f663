import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { Opened } from '../stream/opened.ts'

let opened: Opened
beforeEach(() => {
  opened = new Opened({ limit: 10 })
})
afterEach(() => opened.close())

/** How many offers a queue that is kept full accepts in a second. */
async function admittedPerSecond(processors: number): Promise<number> {
  for (let i = 0; i < processors; i++) opened.work(async () => {}, { minInterval: '50ms' })
  await opened.fill(10)
  let accepted = 0
  const startedMs = performance.now()
  while (performance.now() - startedMs < 2000) {
    const offer = await opened.queue.offer({ n: 0 })
    if (offer.allowed) accepted++
    else await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return (accepted * 1000) / (performance.now() - startedMs)
}

// An interval is never shorter, and on a busy machine it may be longer.
// biome-ignore format: a table
it.each([
  // processors  at least  at most, of 20 a second each
  [1,            12,       21],
  [4,            48,       84],
])('%d processors admit so many times what one does', async (processors, atLeast, atMost) => {
  const rate = await admittedPerSecond(processors)
  expect(rate).toBeGreaterThan(atLeast)
  expect(rate).toBeLessThan(atMost)
})
