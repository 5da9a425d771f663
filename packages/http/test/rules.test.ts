import { expect, it } from '@jest/globals'
import { createLimiter, fixedWindow, gcra } from '@sluice/core'
import { createGate } from '../src/gate.ts'
import { readHeaders, readRules } from '../src/rules.ts'

it('what is left out of the options of a middleware is as docs/http.md says', () => {
  expect(readRules({ policy: gcra({ count: 1, period: '1s' }) })).toEqual({
    allowed: undefined,
    denied: undefined,
    refuseByError: false,
    x: 'seconds',
    draft: false,
    ipv6Prefix: 64,
    releaseOnAbort: false,
    sendTimeoutUs: 30_000_000,
    maxWaitUs: 0,
    retryJitterMs: 0,
  })
})

it.each([gcra({ count: 1, period: '1s' }), fixedWindow({ limit: 1, window: '1d' })])(
  'an instant since when windows count is refused where no policy has a calendar: %j',
  (policy) => {
    const since = () => new Date(0)
    const message = 'since: expected to be left out, as no policy here has `every`, got a function (since)'
    expect(() => createGate({ policy, since })).toThrow(message)
    expect(() => createGate({ limiter: createLimiter({ policy }), since })).toThrow(message)
    const month = fixedWindow({ limit: 1, every: 'month', timeZone: 'UTC' })
    expect(() => createGate({ policies: { policy, month }, since })).not.toThrow()
    expect(() => createGate({ policy: () => policy, since })).not.toThrow()
  },
)

it.each(['draft-8', true])('headers: %j is answered with the option that is likely meant', (headers) => {
  expect(() => readHeaders(headers)).toThrow('headers: expected an object of options such as { draft: … }')
})
