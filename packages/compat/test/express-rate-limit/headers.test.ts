import { afterEach, describe, expect, it } from '@jest/globals'
import { freeze } from '@sluice/testing'
import { type RateLimitOptions, rateLimit, type Store } from '../../src/express-rate-limit/index.ts'
import { log, type Site, siteWith } from './site.ts'

let site: Site | undefined

afterEach(async () => {
  await site?.close()
  site = undefined
})

const shown = [
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'ratelimit-policy',
  'ratelimit',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'retry-after',
]

/** The fields of the last of so many answers, in the order of the list above. */
async function fieldsAfter(times: number, ...all: RateLimitOptions[]): Promise<readonly string[]> {
  // A second may pass between two requests on a busy machine.
  const time = freeze()
  let headers = new Headers()
  try {
    site = await siteWith(...all.map((options) => rateLimit({ validate: false, ...options })))
    for (let i = 0; i < times; i++) ({ headers } = await site.get())
  } finally {
    time.restore()
  }
  return shown.flatMap((name) => (headers.has(name) ? `${name}: ${headers.get(name)}` : []))
}

const twoHours = { windowMs: 7_200_000, limit: 2, keyGenerator: () => 'foo' }
const draftOnly = { ...twoHours, legacyHeaders: false }

describe('fields', () => {
  it.each<[string, number, RateLimitOptions, string[]]>([
    ['the old ones', 1, twoHours, ['x-ratelimit-limit: 2', 'x-ratelimit-remaining: 1']],
    [
      'the old ones of a refusal',
      3,
      twoHours,
      ['x-ratelimit-limit: 2', 'x-ratelimit-remaining: 0', 'retry-after: 7200'],
    ],
    [
      'draft 6, by true',
      1,
      { ...draftOnly, standardHeaders: true },
      ['ratelimit-policy: 2;w=7200', 'ratelimit-limit: 2', 'ratelimit-remaining: 1', 'ratelimit-reset: 7200'],
    ],
    [
      'draft 7',
      2,
      { ...draftOnly, standardHeaders: 'draft-7' },
      ['ratelimit-policy: 2;w=7200', 'ratelimit: limit=2, remaining=0, reset=7200'],
    ],
    [
      'draft 8, of a refusal',
      3,
      { ...draftOnly, standardHeaders: 'draft-8' },
      [
        'ratelimit-policy: "2-in-2hrs"; q=2; w=7200; pk=:MmMyNmI0NmI2OGZm:',
        'ratelimit: "2-in-2hrs"; r=0; t=7200',
        'retry-after: 7200',
      ],
    ],
    [
      'draft 8 with a name of which nothing can break out',
      1,
      { ...draftOnly, standardHeaders: 'draft-8', identifier: () => 'a"; r=9é' },
      [
        'ratelimit-policy: "a%22; r=9%C3%A9"; q=2; w=7200; pk=:MmMyNmI0NmI2OGZm:',
        'ratelimit: "a%22; r=9%C3%A9"; r=1; t=7200',
      ],
    ],
    [
      'with a wait of its own',
      3,
      { ...twoHours, retryAfter: async () => 11.2 },
      ['x-ratelimit-limit: 2', 'x-ratelimit-remaining: 0', 'retry-after: 12'],
    ],
    ['none', 3, draftOnly, []],
    ['none by headers: false', 1, { ...twoHours, headers: false }, []],
    ['none of a draft that there is not', 1, { ...draftOnly, standardHeaders: 'draft-5' as never }, []],
  ])('%s', async (_name, times, options, fields) => {
    expect(await fieldsAfter(times, options)).toEqual(fields)
  })

  it.each([
    [1500, '7-in-1.5sec'],
    [60_000, '7-in-1min'],
    [5_400_000, '7-in-1.5hrs'],
    [86_400_000, '7-in-1day'],
    [172_800_000, '7-in-2days'],
  ])('name a limit of %d ms', async (windowMs, name) => {
    const fields = await fieldsAfter(1, { ...draftOnly, limit: 7, windowMs, standardHeaders: 'draft-8' })
    expect(fields[1]).toContain(`"${name}"`)
  })

  it('list all limits of a request in draft 8', async () => {
    const minute = { ...draftOnly, windowMs: 60_000, standardHeaders: 'draft-8' as const }
    const fields = await fieldsAfter(1, { ...draftOnly, standardHeaders: 'draft-8' }, { ...minute, limit: 9 })
    expect(fields[1]).toBe('ratelimit: "2-in-2hrs"; r=1; t=7200, "9-in-1min"; r=8; t=60')
  })

  it('say the instant at which a window ends, and what time it is here', async () => {
    site = await siteWith(rateLimit({ windowMs: 60_000 }))
    const { headers } = await site.get()
    const reset = Number(headers.get('x-ratelimit-reset'))
    const date = Date.parse(headers.get('date') ?? '') / 1000
    expect(reset - date).toBeGreaterThanOrEqual(59)
    expect(reset - date).toBeLessThanOrEqual(61)
  })

  it('say a whole window, once with a warning, where a store does not say when it begins anew', async () => {
    const logger = log()
    const store: Store = {
      increment: () => ({ totalHits: 9, resetTime: undefined }),
      decrement() {},
      resetKey() {},
    }
    site = await siteWith(rateLimit({ store, logger, standardHeaders: 'draft-7' }))
    await site.get()
    const { headers } = await site.get()
    expect(headers.get('ratelimit')).toBe('limit=5, remaining=0, reset=60')
    expect(headers.get('retry-after')).toBe('60')
    expect(headers.has('x-ratelimit-reset')).toBe(false)
    expect(logger.lines).toEqual(['ERR_ERL_HEADERS_NO_RESET'])
  })

  it('have whole numbers of 15 digits at most in draft 8, as with more a client drops the field', async () => {
    const limit = Number.POSITIVE_INFINITY
    site = await siteWith(rateLimit({ limit, identifier: 'all', standardHeaders: 'draft-8' }))
    const { headers } = await site.get()
    expect(headers.get('ratelimit')).toMatch(/^"all"; r=999999999999999; t=/)
    expect(headers.get('ratelimit-policy')).toMatch(/^"all"; q=999999999999999; w=60; pk=/)
  })

  it('are left as they are where the answer has begun, which whoever began it ends', async () => {
    site = await siteWith(
      (_request, response, next) => {
        response.write('begun ')
        setTimeout(() => response.end('and ended'), 50)
        next()
      },
      rateLimit({ limit: 0, standardHeaders: 'draft-8', logger: log() }),
    )
    const { status, headers, text } = await site.get()
    expect({ status, text }).toEqual({ status: 200, text: 'begun and ended' })
    expect(headers.has('ratelimit')).toBe(false)
  })
})
