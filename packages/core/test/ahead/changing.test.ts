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

/** A limiter of a limit that can be changed, with 40 of 500 units of a key used, and some in hand. */
async function busy() {
  const changing: { now: Policy | undefined } = { now: undefined }
  const policy = changeable(fixedWindow({ limit: 500, window: '1h' }), changing)
  const limiter = createLimiter({ policy, store: new FarServer().store(), ahead: '2s', logger: quiet })
  for (let i = 0; i < 40; i++) await during(limiter.check('key'))
  expect(limiter.health().ahead?.inHand).toBeGreaterThan(0)
  return { changing, limiter }
}

it('a look while a limit is changed is answered by the changed one, and finds in the store what is in hand', async () => {
  const { changing, limiter } = await busy()
  changing.now = fixedWindow({ limit: 50, window: '1h' })
  expect(await during(limiter.peek('key'))).toMatchObject({ limit: 50, remaining: 10 })
  await during(limiter.close())
})

it('what is in hand as a limit is changed is there for the next check', async () => {
  const { changing, limiter } = await busy()
  changing.now = fixedWindow({ limit: 50, window: '1h' })
  for (let left = 9; left >= 0; left--)
    expect(await during(limiter.check('key'))).toMatchObject({ allowed: true, limit: 50, remaining: left })
  expect(await during(limiter.check('key'))).toMatchObject({ allowed: false, limit: 50, remaining: 0 })
  await during(limiter.close())
})

it('a key that was first met while a limit was changed is taken ahead of by the limit itself', async () => {
  const { changing, limiter } = await busy()
  changing.now = fixedWindow({ limit: 50, window: '1h' })
  await during(limiter.reset('new'))
  changing.now = undefined
  for (let i = 0; i < 100; i++)
    expect(await during(limiter.check('new'))).toMatchObject({ allowed: true, limit: 500 })
  await during(limiter.close())
})

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
