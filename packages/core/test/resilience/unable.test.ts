import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { createLimiter, type Question, type Store, slidingWindowLog } from '../../src/index.ts'
import { guard } from '../../src/resilience/guard.ts'
import { readGuardOptions } from '../../src/resilience/guard-options.ts'
import { quiet, Server } from './server.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => {
  jest.clearAllTimers()
  jest.useRealTimers()
})

/** As a replica: it says what it holds, and takes nothing. */
function unable(server: Server): Store {
  const store = server.store()
  const refuse = () => {
    throw new Error('READONLY')
  }
  const probe = async () => refuse()
  const answer = (question: Question) => (question.take ? refuse() : store.answer(question))
  // Later, as over a network.
  const later = { ...store, probe, answer: async (question: Question) => answer(question) }
  return guard(later, readGuardOptions({}), server.clock)
}

describe('a store that answers and cannot write', () => {
  it('is not asked to block a key once it is spared; the error says what it has answered last', async () => {
    const limiter = createLimiter({
      policy: slidingWindowLog({ limit: 2, window: '1h' }),
      store: unable(new Server()),
      logger: quiet,
    })
    for (let i = 0; i < 20; i++) {
      await limiter.check('bob')
      await jest.advanceTimersByTimeAsync(50)
    }
    expect(limiter.health().status).toBe('down')
    await expect(limiter.block('bob', '1m')).rejects.toMatchObject({
      code: 'SLUICE_STORE',
      cause: { message: 'READONLY' },
    })
  })

  it('is not well, though what this process refuses by its own count only looks there', async () => {
    const limiter = createLimiter({
      policy: slidingWindowLog({ limit: 2, window: '1h' }),
      store: unable(new Server()),
      logger: quiet,
    })
    const seen: unknown[] = []
    for (let i = 0; i < 60; i++) {
      const { allowed } = await limiter.check('bob')
      seen.push([allowed, limiter.health().status === 'ok'])
      await jest.advanceTimersByTimeAsync(50)
    }
    expect(seen).toEqual([...Array(2).fill([true, false]), ...Array(58).fill([false, false])])
    expect(limiter.health().status).toBe('down')
  })
})
