import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import type { StoreUnderTest } from '@sluice/conformance'
import { baseUs } from '@sluice/conformance/internal'
import { redisUnderTest } from '@sluice/faults'
import { socket } from '@sluice/faults/redis-socket'
import { uniform } from '../../src/index.ts'
import { checkOf, question } from './real-store.ts'

describe('a server whose clock moves', () => {
  let subject: StoreUnderTest
  beforeEach(async () => {
    subject = await redisUnderTest(socket, { deadlineUs: 5_000_000 })
  })
  afterEach(() => subject.close())

  // biome-ignore format: a table
  it.each([
    // what            µs from where the store has seen it
    ['an hour on',      3_600_000_000],
    ['an hour back',   -3_600_000_000],
    ['ten years on',   315_576_000_000_000],
  ])('is asked again rather than taken for late: %s', async (_what, us) => {
    const { store, setClock } = subject
    const answers: unknown[] = []
    for (const atUs of [baseUs, baseUs + us, baseUs + us + 1]) {
      await setClock(atUs)
      const rows = await store.answer(question(checkOf(uniform({ interval: '1h' }))))
      answers.push(rows.map(({ allowed, resetAfterUs }) => [allowed, resetAfterUs]))
    }
    expect(answers).toEqual(Array.from({ length: 3 }, () => [[true, 3_600_000_000]]))
  })
})
