// Run by node:test, in a process of its own: see runners.test.ts.
import assert from 'node:assert'
import { afterEach, describe, mock, test } from 'node:test'
import { concurrency, createLimiter, fixedWindow, gcra, uniform } from '@sluice/core'
import { assertAllowed, assertRefused, freeze } from '@sluice/testing'

const minutely = fixedWindow({ limit: 1, window: '1m' })
const before = createLimiter({ name: 'before', policy: minutely })

/** Those who were woken go on. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('mock.timers', () => {
  afterEach(() => mock.timers.reset())

  test('move what is counted in memory, from 1970 on', async () => {
    mock.timers.enable({ apis: ['setTimeout', 'Date'] })
    for (const limiter of [before, createLimiter({ policy: minutely })]) {
      assertAllowed(await limiter.check('bob'))
      mock.timers.tick(59_999)
      assertRefused(await limiter.check('bob'), { by: 'default', retryAfterMs: 1 })
      mock.timers.tick(1)
      assertAllowed(await limiter.check('bob'), { remaining: 0 })
    }
  })

  test('wake callers that wait, and renew leases', async () => {
    mock.timers.enable({ apis: ['setTimeout', 'Date'], now: new Date('2030-01-01T00:00:00Z') })
    const limiter = createLimiter({ policy: uniform({ interval: '1h', maxDebt: '1d' }) })
    const places = createLimiter({ policy: concurrency({ limit: 1, lease: '30s' }) })
    await places.check('bob')
    await limiter.check('bob')
    const pending = limiter.wait('bob', { maxWait: '2h' })
    for (let second = 0; second < 3600; second += 5) {
      await turn()
      mock.timers.tick(5000)
    }
    assertAllowed(await pending, { waitMs: 3_600_000 })
    assertRefused(await places.check('bob'))
  })

  test('that ended with a wait pending stop no later one', async () => {
    mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.now() })
    const limiter = createLimiter({ policy: gcra({ count: 100, period: '1s', burst: 0 }) })
    await limiter.check('bob')
    const lost = limiter.wait('bob')
    await Promise.resolve()
    mock.timers.reset()
    // On a slow machine one may have nothing to wait for.
    while ((await limiter.wait('alice')).waitMs === 0);
    await lost
  })

  test('without Date are warned of', async () => {
    const warned = new Promise<Error & { code?: string }>((resolve) => process.once('warning', resolve))
    mock.timers.enable({ apis: ['setTimeout'] })
    const limiter = createLimiter({ policy: uniform({ interval: '1h', maxDebt: '1d' }) })
    await limiter.check('bob')
    const pending = limiter.wait('bob', { maxWait: '2h' }).catch(() => {})
    await turn()
    mock.timers.tick(3_600_000)
    const { code, message } = await warned
    assert.equal(code, 'SLUICE_FAKE_TIMERS')
    assert.match(message, /^setTimeout is faked, Date is not/)
    await limiter.close()
    await pending
  })
})

test('freeze moves what is counted in memory', async () => {
  const time = freeze()
  try {
    assertAllowed(await before.check('carol'))
    await time.advance('59s')
    assertRefused(await before.check('carol'))
    await time.advance('1s')
    assertAllowed(await before.check('carol'))
  } finally {
    time.restore()
  }
})
