import { expect, it } from '@jest/globals'
import type { FastifyInstance } from 'fastify'
import rateLimit, { type RateLimitPluginOptions } from '../../src/fastify-rate-limit/index.ts'
import { type Get, served } from './serve.ts'

/** A fresh store whose clock is moved by hand. */
export interface MovedStore {
  readonly options: RateLimitPluginOptions
  advance(ms: number): Promise<void>
  close(): Promise<void>
}

const send = { max: 3, timeWindow: '1 hour' }
const status = { max: 100, timeWindow: '1 second' }

type Build = (app: FastifyInstance, options: RateLimitPluginOptions) => Promise<void>

/** Routes of one group. */
const group: Build = async (app, options) => {
  await app.register(rateLimit, { global: false, ...options })
  app.get('/send', { config: { rateLimit: { ...send, groupId: 'mail' } } }, async () => 'sent')
  app.get('/status', { config: { rateLimit: { ...status, groupId: 'mail' } } }, async () => 'well')
}

/** Two plugins, which share a count where they share a store. */
export const registrations: Build = async (app, options) => {
  await app.register(async (part) => {
    await part.register(rateLimit, { ...send, ...options })
    part.get('/send', async () => 'sent')
  })
  await app.register(async (part) => {
    await part.register(rateLimit, { ...status, ...options })
    part.get('/status', async () => 'well')
  })
}

/** One plugin whose numbers depend on the request. */
export const functions: Build = async (app, options) => {
  await app.register(rateLimit, {
    max: ({ url }) => (url === '/send' ? 3 : 100),
    timeWindow: async ({ url }) => (url === '/send' ? 3_600_000 : 1000),
    ...options,
  })
  app.get('/send', async () => 'sent')
  app.get('/status', async () => 'well')
}

async function play(get: Get, { advance }: MovedStore, order: readonly string[]): Promise<string[]> {
  const said: string[] = []
  for (const step of order) {
    if (step === 'later') await advance(1100)
    else {
      const { status, headers } = await get(`/${step}`)
      const [left, reset] = [headers.get('x-ratelimit-remaining'), headers.get('x-ratelimit-reset')]
      said.push(`${step} ${status} ${left}/${reset}s`)
    }
  }
  return said
}

const sendFirst = ['send', 'send', 'send', 'send', 'status', 'later', 'send']
const statusFirst = ['status', 'send', 'send', 'send', 'send', 'later', 'send']

export interface WindowRow {
  readonly title: string
  readonly build: Build
  readonly order: 'send first' | 'status first'
  readonly options?: RateLimitPluginOptions
  /** Status, remaining and reset: what @fastify/rate-limit 11.2.0 answers to the same requests with Redis. */
  readonly answers: string
}

/** An hour's window and a second's in one place. */
export function describeWindows(rows: readonly WindowRow[], make: () => Promise<MovedStore>): void {
  it.each(rows)('$title, $order', async ({ build, order, options, answers }) => {
    const store = await make()
    try {
      await served(
        (app) => build(app, { ...store.options, ...options }),
        async (get) => {
          const steps = order === 'send first' ? sendFirst : statusFirst
          expect((await play(get, store, steps)).join(', ')).toBe(answers)
        },
      )
    } finally {
      await store.close()
    }
  })
}

const alone = 'send 200 2/3600s, send 200 1/3600s, send 200 0/3600s, send 429 0/3600s'
const [continueExceeding, exponentialBackoff] = [{ continueExceeding: true }, { exponentialBackoff: true }]

// biome-ignore format: a table
export const groupRows: readonly WindowRow[] = [
  { title: 'a group', build: group, order: 'send first', answers: `${alone}, status 200 99/1s, send 429 0/3599s` },
  { title: 'a group', build: group, order: 'status first', answers: `status 200 99/1s, ${alone}, send 429 0/3599s` },
]

/** Rows of those that share a count, where the window of an hour is begun. */
// biome-ignore format: a table
export const hourFirst = (title: string, build: Build): readonly WindowRow[] => [
  { title, build, order: 'send first', answers: `${alone}, status 200 95/3600s, send 429 0/3599s` },
  { title: `${title} with continueExceeding`, build, order: 'send first', options: continueExceeding, answers: `${alone}, status 200 95/3600s, send 429 0/3600s` },
  { title: `${title} with exponentialBackoff`, build, order: 'send first', options: exponentialBackoff, answers: `${alone}, status 200 95/3600s, send 429 0/14400s` },
]

const inASecond = 'status 200 99/1s, send 200 1/1s, send 200 0/1s'
/** The same where the window of a second is begun: it ends as it was begun, unless a refusal begins a longer one. */
// biome-ignore format: a table
export const secondFirst = (title: string, build: Build): readonly WindowRow[] => [
  { title, build, order: 'status first', answers: `${inASecond}, send 429 0/1s, send 429 0/1s, send 200 2/3600s` },
  { title: `${title} with continueExceeding`, build, order: 'status first', options: continueExceeding, answers: `${inASecond}, send 429 0/3600s, send 429 0/3600s, send 429 0/3600s` },
  { title: `${title} with exponentialBackoff`, build, order: 'status first', options: exponentialBackoff, answers: `${inASecond}, send 429 0/3600s, send 429 0/7200s, send 429 0/14400s` },
]
