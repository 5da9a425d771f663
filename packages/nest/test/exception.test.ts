import { expect, it } from '@jest/globals'
import type { Reason, Refused } from '@sluice/core'
import { refusalError } from '@sluice/core/internal'
import { RateLimitException } from '../src/index.ts'

// biome-ignore format: a table
it.each<[Reason, number, string]>([
  ['limited',           429, 'TOO_MANY_REQUESTS'],
  ['blocked',           429, 'TOO_MANY_REQUESTS'],
  ['too-costly',        429, 'TOO_MANY_REQUESTS'],
  ['banned',            403, 'FORBIDDEN'],
  ['denied',            403, 'FORBIDDEN'],
  ['store-unavailable', 503, 'SERVICE_UNAVAILABLE'],
])('a refusal for the reason %s is a %i, and to GraphQL %s', (reason, status, code) => {
  const decision = { reason, retryAfterMs: 7000, policy: 'default' } as Refused // as much of one as is read
  const exception = new RateLimitException(refusalError(decision), null)
  expect(exception.getStatus()).toBe(status)
  expect(exception.extensions).toEqual({ code, reason, retryAfterMs: 7000 })
})
