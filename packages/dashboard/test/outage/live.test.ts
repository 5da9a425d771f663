import { afterEach, expect, test } from '@jest/globals'
import { createLimiter, slidingWindowLog } from '@sluice/core'
import { memorySink, recorder } from '@sluice/telemetry'
import { dashboard } from '../../src/index.ts'
import { Listener, listen } from '../site.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

test('what was sent is shown within two seconds, live', async () => {
  const seen = recorder(memorySink())
  const limiter = createLimiter({
    name: 'tiger',
    policies: { everybody: slidingWindowLog({ limit: 5, window: '10s' }) },
    observers: [seen],
  })
  const page = dashboard({ recorder: seen, limiters: [limiter] })
  const site = await listen(page)
  ends.push(
    () => limiter.close(),
    () => seen.close(),
    () => site.close(),
    () => page.close(),
  )
  const listener = new Listener(`${site.origin}/stream?span=60`)
  ends.push(() => listener.close())
  await listener.until('history')
  const sentAt = Date.now()
  for (let i = 0; i < 8; i++) await limiter.check('lion')
  await listener.shows(({ totals }) => totals?.admitted === 5 && totals.refused === 3)
  expect(Date.now() - sentAt).toBeLessThan(2000)
  expect(listener.last('rows')).toMatchObject({
    count: 1,
    rows: [
      { limiter: 'tiger', policy: 'everybody', strategy: 'sliding window log', rule: '5 in 10 s', limit: 5 },
    ],
  })
})
