import { describe, expect, it } from '@jest/globals'
import { statusOf } from '@sluice/core/internal'
import { plainBody, problemBody, type RefusalFacts } from '../src/problem.ts'

const PREFIX = 'https://iana.org/assignments/http-problem-types#'

describe('problemBody', () => {
  it('is the problem details of an exceeded quota', () => {
    const body = problemBody({
      reason: 'limited',
      retryAfterSeconds: 7,
      violatedPolicies: ['tickets.visitor'],
    })
    expect(JSON.parse(body)).toEqual({
      type: `${PREFIX}quota-exceeded`,
      title: 'Request cannot be satisfied as assigned quota has been exceeded',
      status: 429,
      detail: 'Too many requests: try again in 7 seconds.',
      'violated-policies': ['tickets.visitor'],
      reason: 'limited',
      retryAfter: 7,
    })
  })

  it('is the problem details of a denied client, without a wait and without policies', () => {
    const body = problemBody({ reason: 'denied', retryAfterSeconds: null, violatedPolicies: [] })
    expect(JSON.parse(body)).toEqual({
      type: 'about:blank',
      title: 'Forbidden',
      status: 403,
      detail: 'This request is not allowed.',
      reason: 'denied',
    })
  })

  it('is the problem details of a store that cannot answer', () => {
    const body = problemBody({
      reason: 'store-unavailable',
      retryAfterSeconds: 1,
      violatedPolicies: ['tickets'],
    })
    expect(JSON.parse(body)).toEqual({
      type: `${PREFIX}temporary-reduced-capacity`,
      title: 'Request cannot be satisfied due to temporary server capacity constraints',
      status: 503,
      detail: 'The service cannot take this request now: try again in 1 second.',
      'violated-policies': ['tickets'],
      reason: 'store-unavailable',
      retryAfter: 1,
    })
  })

  it('has no retryAfter where Retry-After is absent', () => {
    const body = problemBody({ reason: 'too-costly', retryAfterSeconds: null, violatedPolicies: ['tickets'] })
    expect(Object.keys(JSON.parse(body))).toEqual([
      'type',
      'title',
      'status',
      'detail',
      'violated-policies',
      'reason',
    ])
  })
})

describe('plainBody', () => {
  // biome-ignore format: a table
  it.each<[RefusalFacts['reason'], number | null, number, string]>([
    // reason              seconds  status  sentence
    ['limited',                  7,    429, 'Too many requests: try again in 7 seconds.'],
    ['limited',                  1,    429, 'Too many requests: try again in 1 second.'],
    ['limited',               3600,    429, 'Too many requests: try again in 3600 seconds.'],
    ['limited',               null,    429, 'Too many requests.'],
    ['too-costly',            null,    429, 'This request costs more than the limit allows.'],
    ['blocked',                 60,    429, 'Requests are blocked for now: try again in 60 seconds.'],
    ['blocked',               null,    429, 'Requests are blocked for now.'],
    ['banned',                  60,    403, 'Requests are banned: try again in 60 seconds.'],
    ['denied',                null,    403, 'This request is not allowed.'],
    ['store-unavailable',        2,    503, 'The service cannot take this request now: try again in 2 seconds.'],
    ['store-unavailable',     null,    503, 'The service cannot take this request now.'],
  ])('says of %s with %p s to wait the same as the problem details', (reason, retryAfterSeconds, status, sentence) => {
    const about = { reason, retryAfterSeconds, violatedPolicies: ['tickets'] }
    expect(plainBody(about)).toBe(sentence)
    expect(JSON.parse(problemBody(about))).toMatchObject({ detail: sentence, status, reason })
    expect(statusOf(reason)).toBe(status)
  })
})
