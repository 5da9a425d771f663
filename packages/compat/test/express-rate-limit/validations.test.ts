import { afterEach, describe, expect, it } from '@jest/globals'
import express from 'express'
import express4 from 'express4'
import { MemoryStore, type RateLimitOptions, rateLimit } from '../../src/express-rate-limit/index.ts'
import { type Served, serve } from '../serve.ts'
import { log, type Site, siteWith } from './site.ts'

let site: Served | undefined

afterEach(async () => {
  await site?.close()
  site = undefined
})

/** What is logged when a limiter is made. */
function saidOf(options: RateLimitOptions): readonly string[] {
  const logger = log()
  rateLimit({ ...options, logger })
  return logger.lines
}

/** What is logged of requests. */
async function saidBy(
  ask: (site: Site) => Promise<unknown>,
  options: RateLimitOptions = {},
): Promise<readonly string[]> {
  const logger = log()
  const here = await siteWith(rateLimit({ ...options, logger }))
  site = here
  await ask(here)
  return logger.lines
}

describe('a likely mistake in the options is logged', () => {
  it.each<[string, RateLimitOptions]>([
    ['ERR_ERL_UNKNOWN_OPTION', { windowMS: 100 } as RateLimitOptions],
    ['ERR_ERL_UNKNOWN_VALIDATION', { validate: { nothing: false } as never }],
    ['WRN_ERL_DEPRECATED_DRAFT_POLLI_HEADERS', { draft_polli_ratelimit_headers: true } as RateLimitOptions],
    ['WRN_ERL_DEPRECATED_ON_LIMIT_REACHED', { onLimitReached: () => {} } as RateLimitOptions],
    ['ERR_ERL_HEADERS_UNSUPPORTED_DRAFT_VERSION', { standardHeaders: 'draft-2' as never }],
    ['ERR_ERL_IPV6_SUBNET', { ipv6Subnet: 31 }],
    ['ERR_ERL_IPV6_SUBNET', { ipv6Subnet: 56n as never }], // what callers without types pass
    ['ERR_ERL_IPV6SUBNET_OR_KEYGENERATOR', { ipv6Subnet: 64, keyGenerator: () => 'all' }],
    ['ERR_ERL_KEY_GEN_IPV6', { keyGenerator: (req) => req.ip ?? '' }],
  ])('%s', (code, options) => {
    expect(saidOf(options)).toEqual([code])
    expect(saidOf({ validate: false, ...options })).toEqual('validate' in options ? [code] : [])
  })

  it('and says what was perhaps meant', () => {
    const said: unknown[] = []
    const keep = (error: unknown) => void said.push(error)
    rateLimit({ windowMS: 100, logger: { error: keep, warn: keep } } as RateLimitOptions)
    expect(String(said[0])).toContain('"windowMS" (did you mean "windowMs"?)')
  })

  it('of a store that two limiters share', () => {
    const store = new MemoryStore()
    expect(saidOf({ store })).toEqual([])
    expect(saidOf({ store })).toEqual(['ERR_ERL_STORE_REUSE'])
  })

  it.each(['Express 5', 'Express 4'])('of a limiter that is made for one request, in %s', async (name) => {
    const app = name === 'Express 4' ? (express4() as unknown as ReturnType<typeof express>) : express()
    let said: readonly string[] = []
    app.get('/', (_request, response) => {
      const make = (depth: number): readonly string[] => (depth === 0 ? saidOf({}) : make(depth - 1))
      said = make(20)
      response.end()
    })
    site = await serve(app)
    await site.get()
    expect(said).toEqual(['ERR_ERL_CREATED_IN_REQUEST_HANDLER'])
  })
})

describe('a likely mistake that requests show is logged once', () => {
  it('where everybody may choose an address', async () => {
    const said = await saidBy(async (here) => {
      here.app.set('trust proxy', true)
      await here.get()
      await here.get()
    })
    expect(said).toEqual(['ERR_ERL_PERMISSIVE_TRUST_PROXY'])
  })

  it.each([
    ['x-forwarded-for', '192.0.2.1', 'ERR_ERL_UNEXPECTED_X_FORWARDED_FOR'],
    ['forwarded', 'for=192.0.2.1', 'ERR_ERL_FORWARDED_HEADER'],
  ])('where %s is not read, also when not the first request has it', async (name, value, code) => {
    const said = await saidBy(async (here) => {
      await here.get()
      await here.get('/', { [name]: value })
      await here.get('/', { [name]: value })
    })
    expect(said).toEqual([code])
  })

  it('where request.ip is no address', async () => {
    const said = await saidBy(async (here) => {
      here.app.set('trust proxy', 1)
      await here.get('/', { 'x-forwarded-for': '192.0.2.1:80' })
      await here.get('/', { 'x-forwarded-for': '192.0.2.1:81' })
      expect(here.seen).toMatchObject([{ key: '192.0.2.1', used: 1 }, { used: 2 }])
    })
    expect(said).toEqual(['ERR_ERL_INVALID_IP_ADDRESS'])
  })

  it('where a limit is 0', async () => {
    expect(await saidBy((here) => here.get(), { limit: 0 })).toEqual(['WRN_ERL_MAX_ZERO'])
  })

  it('where a limiter is mounted twice', async () => {
    const logger = log()
    const limiter = rateLimit({ logger })
    const here = await siteWith(limiter, limiter)
    site = here
    await here.get()
    await here.get()
    expect(here.seen).toMatchObject([{ used: 2 }, { used: 4 }])
    expect(logger.lines).toEqual(['ERR_ERL_DOUBLE_COUNT'])
  })

  it('and not where two limiters count one key, each by itself', async () => {
    const logger = log()
    site = await siteWith(rateLimit({ logger }), rateLimit({ logger }))
    await site.get()
    expect(logger.lines).toEqual([])
  })
})
