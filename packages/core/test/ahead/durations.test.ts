import { afterEach, beforeEach, expect, it, jest } from '@jest/globals'
import { createLimiter, fixedWindow } from '../../src/index.ts'
import { FarServer, pass } from './far-server.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => {
  jest.clearAllTimers()
  jest.useRealTimers()
})

/** A limiter that has units in hand, the last of which are used by its next checks, and a call under way that takes more. */
async function renewing() {
  const server = new FarServer()
  const durations: number[] = []
  const limiter = createLimiter({
    policy: fixedWindow({ limit: 500, window: '1h' }),
    store: server.store(),
    ahead: '2s',
    logger: { warn: () => {}, error: () => {} },
    observers: [{ decided: (_, { durationMs }) => void durations.push(durationMs) }],
  })
  for (let i = 0; i < 20; i++) {
    const decision = limiter.check('key')
    await pass(10)
    await decision
  }
  server.roundTripMs = 20
  const { length } = server.asked
  while (server.asked.length === length) await limiter.check('key')
  for (let left = limiter.health().ahead?.inHand ?? 0; left > 0; left--) await limiter.check('key')
  durations.splice(0)
  return { limiter, durations }
}

it('a decision from units in hand took no time of the store, and one that has waited for them took that long', async () => {
  const { limiter, durations } = await renewing()
  const waited = limiter.check('key')
  await pass(20)
  expect(await waited).toMatchObject({ allowed: true, source: 'far' })
  await limiter.check('key')
  expect(durations).toEqual([20, 0])
})

it('a look that is answered from units in hand took no time of the store, and one that has waited for them took that long', async () => {
  const { limiter, durations } = await renewing()
  const waited = limiter.peek('key')
  await pass(20)
  expect(await waited).toMatchObject({ allowed: true, source: 'far' })
  await limiter.peek('key')
  expect(durations).toEqual([20, 0])
})
