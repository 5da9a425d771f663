import { afterEach, beforeEach, expect, it, jest } from '@jest/globals'
import { changeable } from '@sluice/conformance/every-strategy'
import { createLimiter, fixedWindow, type Policy } from '../../src/index.ts'
import { FarServer, pass } from './far-server.ts'

const quiet = { warn: () => {}, error: () => {} }

beforeEach(() => void jest.useFakeTimers())
afterEach(() => {
  jest.clearAllTimers()
  jest.useRealTimers()
})

/** Time passes until it has resolved. */
async function during<T>(answer: Promise<T>): Promise<T> {
  let over = false
  const ended = answer.finally(() => {
    over = true
  })
  while (!over) await pass(5)
  return ended
}

it('units in hand decide nothing while a limit is changed, and are taken again once it is restored', async () => {
  const changing: { now: Policy | undefined } = { now: undefined }
  const policy = changeable(fixedWindow({ limit: 500, window: '1h' }), changing)
  const limiter = createLimiter({ policy, store: new FarServer().store(), ahead: '2s', logger: quiet })
  const decisions = () => limiter.health().ahead?.decisions ?? Number.NaN
  for (let i = 0; i < 40; i++) await during(limiter.check('key'))
  expect(decisions()).toBeGreaterThan(0)

  changing.now = fixedWindow({ limit: 50, window: '1h' })
  const before = decisions()
  // What is in hand counts as used until it goes back.
  await pass(2500)
  let admitted = 40
  for (let i = 0; i < 30; i++) if ((await during(limiter.check('key'))).allowed) admitted++
  expect(admitted).toBe(50)
  expect(decisions()).toBe(before)

  changing.now = undefined
  for (let i = 0; i < 40; i++)
    expect(await during(limiter.check('key'))).toMatchObject({ limit: 500, allowed: true })
  expect(decisions()).toBeGreaterThan(before)
  await during(limiter.close())
})
