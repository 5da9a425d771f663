import { expect, it } from '@jest/globals'
import { gcra } from '@sluice/core'
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

it.each(['draft-8', true])('headers: %j is answered with the option that is likely meant', (headers) => {
  expect(() => readHeaders(headers)).toThrow('headers: expected an object of options such as { draft: … }')
})
