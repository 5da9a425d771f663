import { describe, expect, it } from '@jest/globals'
import { createLimiter, fixedWindow, memoryStore } from '@sluice/core'
import { manualClock } from '@sluice/testing'
import {
  type HeaderPort,
  mergeFields,
  type RequestState,
  stateOf,
  writeFields,
} from '../src/request-state.ts'

const clock = manualClock()
const about = { rules: { x: 'seconds', draft: 8 }, nowMs: () => 0 } as const

/** A decision of a limiter of its own, after so many of its units were taken. */
async function decided(
  name: string,
  {
    limit,
    taken,
    window = '10s' as const,
    shadow = false,
  }: {
    limit: number
    taken: number
    window?: `${number}s`
    shadow?: boolean
  },
) {
  const store = memoryStore({ clock })
  const limiter = createLimiter({ name, policy: fixedWindow({ limit, window }), store, shadow })
  for (let i = 1; i < taken; i++) await limiter.check('bob')
  return limiter.check('bob')
}

class Fields implements HeaderPort {
  readonly headersSent = false
  readonly all: { [name: string]: string }

  constructor(own: { [name: string]: string } = {}) {
    this.all = own
  }

  getHeader(name: string): unknown {
    return this.all[name.toLowerCase()]
  }

  setHeader(name: string, value: string): void {
    this.all[name.toLowerCase()] = value
  }
}

async function written(
  decisions: readonly Awaited<ReturnType<typeof decided>>[],
  fields = new Fields(),
): Promise<{ readonly [name: string]: string }> {
  const state: RequestState = stateOf({})
  for (const decision of decisions) writeFields(state, mergeFields(state, decision, about), fields)
  return fields.all
}

describe('fields of several limiters on one request', () => {
  it('are the X- fields of the one with the fewest further requests, whichever comes first', async () => {
    const wide = await decided('wide', { limit: 9, taken: 1 })
    const tight = await decided('tight', { limit: 3, taken: 2 })
    for (const decisions of [
      [wide, tight],
      [tight, wide],
    ]) {
      expect(await written(decisions)).toMatchObject({
        'x-ratelimit-limit': '3',
        'x-ratelimit-remaining': '1',
        ratelimit: decisions.map((each) => `"${each.limiter}";r=${each.remaining};t=10`).join(', '),
      })
    }
  })

  it('are those of the longer window where both leave as many further requests', async () => {
    const short = await decided('short', { limit: 3, taken: 1 })
    const long = await decided('long', { limit: 3, taken: 1, window: '60s' })
    for (const decisions of [
      [short, long],
      [long, short],
    ])
      expect(await written(decisions)).toMatchObject({ 'x-ratelimit-reset': '60' })
  })

  it('are those of a refusal before those of any admission, and state the longest wait', async () => {
    const allowed = await decided('allowed', { limit: 1, taken: 1 })
    const short = await decided('short', { limit: 2, taken: 3 })
    const long = await decided('long', { limit: 5, taken: 6, window: '60s' })
    for (const decisions of [
      [allowed, short, long],
      [long, short, allowed],
    ]) {
      expect(await written(decisions)).toMatchObject({
        'x-ratelimit-limit': '5',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': '60',
        'retry-after': '60',
        'cache-control': 'no-store',
      })
    }
  })

  it('have each quota of drafts 6 and 7 once, with the longer of its windows', async () => {
    const short = await decided('short', { limit: 3, taken: 1 })
    const long = await decided('long', { limit: 3, taken: 1, window: '60s' })
    const seventh = { rules: { x: false, draft: 7 }, nowMs: () => 0 } as const
    for (const decisions of [
      [short, long],
      [long, short],
    ]) {
      const fields = new Fields()
      const state = stateOf({})
      for (const decision of decisions) writeFields(state, mergeFields(state, decision, seventh), fields)
      expect(fields.all['ratelimit-policy']).toBe('3;w=60')
    }
  })

  it('are not those of a shadow policy', async () => {
    const shadow = await decided('shadow', { limit: 1, taken: 2, shadow: true })
    const plain = await decided('plain', { limit: 9, taken: 1 })
    for (const decisions of [
      [shadow, plain],
      [plain, shadow],
    ]) {
      expect(await written(decisions)).toEqual({
        'x-ratelimit-limit': '9',
        'x-ratelimit-remaining': '8',
        'x-ratelimit-reset': '10',
        'ratelimit-policy': '"plain";q=9;w=10',
        ratelimit: '"plain";r=8;t=10',
      })
    }
  })

  it.each([6, 7] as const)('have no quota of a shadow policy in draft %d', async (draft) => {
    const policies = {
      tried: fixedWindow({ limit: 1, window: '10s' }),
      real: fixedWindow({ limit: 9, window: '10s' }),
    }
    const limiter = createLimiter({ policies, store: memoryStore({ clock }), shadow: { tried: true } })
    const rules = { x: false, draft } as const
    const fields = mergeFields(stateOf({}), await limiter.check('bob'), { rules, nowMs: () => 0 })
    expect(Object.fromEntries(fields)).toMatchObject({ 'RateLimit-Policy': '9;w=10' })
  })

  it('are all of the draft of the first limiter', async () => {
    const state = stateOf({})
    const fields = new Fields()
    for (const draft of [8, 7] as const) {
      const decision = await decided(`in ${draft}`, { limit: draft, taken: 1 })
      const rules = { x: false, draft } as const
      writeFields(state, mergeFields(state, decision, { rules, nowMs: () => 0 }), fields)
    }
    expect(fields.all).toEqual({
      'ratelimit-policy': '"in 8";q=8;w=10, "in 7";q=7;w=10',
      ratelimit: '"in 8";r=7;t=10, "in 7";r=6;t=10',
    })
  })

  it('leave what the application has set, before or between', async () => {
    const fields = new Fields({ 'x-ratelimit-limit': '1000', ratelimit: '"mine";r=1' })
    const first = await decided('first', { limit: 9, taken: 1 })
    const second = await decided('second', { limit: 3, taken: 1 })
    const state = stateOf({})
    writeFields(state, mergeFields(state, first, about), fields)
    fields.setHeader('X-RateLimit-Reset', '77')
    writeFields(state, mergeFields(state, second, about), fields)
    expect(fields.all).toEqual({
      'x-ratelimit-limit': '1000',
      'x-ratelimit-remaining': '2',
      'x-ratelimit-reset': '77',
      'ratelimit-policy': '"first";q=9;w=10, "second";q=3;w=10',
      ratelimit: '"mine";r=1',
    })
  })
})
