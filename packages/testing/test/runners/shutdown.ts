// A program that ends by itself, although little was closed: see runners.test.ts.
import { concurrency, createLimiter, fixedWindow, redisStore, uniform } from '@sluice/core'
import { freeze } from '@sluice/testing'

const counted = createLimiter({ policy: fixedWindow({ limit: 1, window: '1h' }) })
await counted.check('bob')

const held = createLimiter({ policy: concurrency({ limit: 1, lease: '1h' }) })
await held.check('bob')

const delayed = createLimiter({ policy: uniform({ interval: '1h', maxDebt: '1d' }) })
await delayed.check('bob')
const ended = delayed
  .wait('bob', { maxWait: '2h' })
  .catch((error: { code: string }) => console.log(error.code))
await delayed.close()
await ended

const store = redisStore('redis://127.0.0.1:1', { connectDeadline: '50ms' })
const limiter = createLimiter({
  policy: uniform({ interval: '1h', maxDebt: '1d' }),
  store,
  logger: { warn() {}, error() {} },
})
await limiter.check('bob')
await limiter.close()
await store.close()

const time = freeze()
const frozen = createLimiter({ policy: uniform({ interval: '1h', maxDebt: '1d' }) })
await frozen.check('bob')
void frozen.wait('bob', { maxWait: '2h' })
await time.advance('1s')
console.log('over')
