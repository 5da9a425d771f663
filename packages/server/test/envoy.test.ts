import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { type LimitsServer, serveLimits } from '../src/index.ts'
import { type Answer, descriptor, type EnvoyClient, envoyClient, field } from './client.ts'
import { served } from './served.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'server-'))
const file = path.join(folder, 'limits.yaml')
const logger = { warn() {}, error() {} }
const text = `
charge: all-or-nothing
schema:
  shop:
    children:
      user:
        children:
          "*":
            limits: { strategy: fixedWindow, limit: 5, window: 1h }
            children:
              path: { children: { /pay: { limits: { strategy: slidingWindowLog, limit: 2, window: 1m } } } }
      ip: { children: { "*": { limits: { strategy: fixedWindow, limit: 3, window: 1h } } } }
      bot: { limits: deny }
      staff: { limits: unlimited }
`

let server: LimitsServer
let client: EnvoyClient
beforeAll(() => writeFileSync(file, text))
afterAll(() => rmSync(folder, { recursive: true }))
beforeEach(async () => {
  server = await serveLimits({ file, grpc: { port: 0 }, http: false, logger })
  client = envoyClient(server.grpc?.port ?? 0)
})
afterEach(async () => {
  client.close()
  await server.close()
})

const fieldsOf = ({ response_headers_to_add: fields }: Answer) =>
  Object.fromEntries(fields.map(({ key, value }) => [key, value]))
const limit = (...descriptors: readonly object[]) => client.limit({ domain: 'shop', descriptors })

describe('a request of a client made of the published protocol files', () => {
  it('is answered with the limit that binds, what is left of it, and when it is full again', async () => {
    const answer = await limit(descriptor('user=alex', 'path=/pay'))
    expect(answer.overall_code).toBe('OK')
    expect(answer.statuses).toEqual([
      {
        code: 'OK',
        current_limit: { name: 'shop/user/*/path/%2Fpay', requests_per_unit: 2, unit: 'MINUTE' },
        limit_remaining: 1,
        duration_until_reset: expect.objectContaining({ seconds: expect.any(Number) }),
        quota: null,
      },
    ])
    expect(answer.statuses[0]?.duration_until_reset?.seconds).toBeGreaterThanOrEqual(59)
    expect(fieldsOf(answer)).toEqual({
      'x-ratelimit-limit': '2',
      'x-ratelimit-remaining': '1',
      'x-ratelimit-reset': expect.stringMatching(/^\d{2}$/),
    })
  })

  it('is refused with a time to wait and a body for the client', async () => {
    const startedMs = performance.now()
    for (let i = 0; i < 2; i++) await limit(descriptor('user=alex', 'path=/pay'))
    const answer = await limit(descriptor('user=alex', 'path=/pay'))
    const leastSeconds = Math.floor(60 - (performance.now() - startedMs) / 1000)
    expect(answer.overall_code).toBe('OVER_LIMIT')
    expect(answer.statuses[0]).toMatchObject({ code: 'OVER_LIMIT', limit_remaining: 0 })
    expect(answer.statuses[0]?.duration_until_reset?.seconds).toBeGreaterThanOrEqual(leastSeconds)
    const retryAfter = Number(fieldsOf(answer)['retry-after'])
    expect(retryAfter).toBeGreaterThanOrEqual(leastSeconds)
    expect(retryAfter).toBeLessThanOrEqual(60)
    expect(JSON.parse(answer.raw_body.toString())).toMatchObject({ status: 429 })
  })

  it('about several descriptors is one decision, and where one refuses none is charged', async () => {
    for (let i = 0; i < 3; i++) await limit(descriptor('user=alex'), descriptor('ip=203.0.113.9'))
    const { overall_code, statuses } = await limit(descriptor('user=alex'), descriptor('ip=203.0.113.9'))
    expect([overall_code, ...statuses.map(({ code, limit_remaining }) => [code, limit_remaining])]).toEqual([
      'OVER_LIMIT',
      ['OK', 2],
      ['OVER_LIMIT', 0],
    ])
    expect((await server.limits.peek(['shop', 'user', 'alex'])).remaining).toBe(2)
  })

  it('adds the hits of the request', async () => {
    const { statuses } = await client.limit({
      domain: 'shop',
      descriptors: [descriptor('user=alex')],
      hits_addend: 4,
    })
    expect(statuses[0]?.limit_remaining).toBe(1)
    const over = await client.limit({
      domain: 'shop',
      descriptors: [descriptor('user=alex')],
      hits_addend: 2,
    })
    expect(over.overall_code).toBe('OVER_LIMIT')
    expect((await limit(descriptor('user=alex'))).overall_code).toBe('OK')
  })

  it('adds the hits of a descriptor in place of those of the request', async () => {
    const hits = (number: number) => field(3, Buffer.of(0x08, number))
    const entry = Buffer.concat([field(1, 'user'), field(2, 'alex')])
    const own = field(2, Buffer.concat([field(1, entry), hits(4)]))
    const others = field(2, field(1, Buffer.concat([field(1, 'ip'), field(2, '203.0.113.9')])))
    // `hits_addend` of the request: its third field, a number.
    const ofRequest = Buffer.of(0x18, 2)
    const answer = await client.limitByBytes(Buffer.concat([field(1, 'shop'), own, others, ofRequest]))
    expect(answer.statuses.map(({ limit_remaining }) => limit_remaining)).toEqual([1, 1])
    const looked = field(2, Buffer.concat([field(1, entry), hits(0)]))
    const { statuses } = await client.limitByBytes(Buffer.concat([field(1, 'shop'), looked]))
    expect(statuses[0]?.limit_remaining).toBe(1)
  })

  it('gets a body of a known type, which says the status that Envoy answers with', async () => {
    for (let i = 0; i < 3; i++) await limit(descriptor('ip=203.0.113.9'))
    const bodyOf = ({ raw_body }: Answer) => JSON.parse(raw_body.toString())
    const limited = await limit(descriptor('ip=203.0.113.9'))
    const denied = await limit(descriptor('bot=1'))
    for (const answer of [limited, denied])
      expect(fieldsOf(answer)['content-type']).toBe('application/problem+json')
    expect(bodyOf(limited)).toMatchObject({ status: 429, reason: 'limited' })
    expect(bodyOf(denied)).toMatchObject({ status: 429, title: 'Too Many Requests', reason: 'denied' })
    expect(fieldsOf(await limit(descriptor('user=alex')))).not.toHaveProperty('content-type')
  })

  it('that can never pass has nothing left, in its status as in its fields', async () => {
    const costly = await client.limit({
      domain: 'shop',
      descriptors: [descriptor('user=alex')],
      hits_addend: 9,
    })
    expect(JSON.parse(costly.raw_body.toString()).reason).toBe('too-costly')
    expect([costly.statuses[0]?.limit_remaining, fieldsOf(costly)['x-ratelimit-remaining']]).toEqual([0, '0'])
  })

  it('passes where no limit is, has all left where it is unlimited, and is refused by deny without numbers', async () => {
    const { overall_code, statuses } = await limit(descriptor('none=1'))
    expect([overall_code, statuses[0]]).toMatchObject(['OK', { code: 'OK', current_limit: null }])
    expect((await limit(descriptor('staff=ann'))).statuses[0]).toMatchObject({
      code: 'OK',
      current_limit: null,
      limit_remaining: 4_294_967_295,
    })
    const denied = await limit(descriptor('bot=1'), descriptor('user=alex'))
    expect(denied.overall_code).toBe('OVER_LIMIT')
    expect(denied.statuses.map(({ code }) => code)).toEqual(['OVER_LIMIT', 'OK'])
    expect((await server.limits.peek(['shop', 'user', 'alex'])).remaining).toBe(5)
  })

  // biome-ignore format: a table
  it.each([
    ['no domain',             { descriptors: [descriptor('user=alex')] },                                       /domain: expected a name/],
    ['no descriptor',         { domain: 'shop' },                                                               /descriptors: expected at least one/],
    ['no entry',              { domain: 'shop', descriptors: [{}] },                                            /descriptors\[0\]\.entries: expected 1 to 60, got 0/],
    ['a key without a name',  { domain: 'shop', descriptors: [descriptor('=1')] },                              /descriptors\[0\]\.entries: expected a key/],
    ['too many descriptors',  { domain: 'shop', descriptors: Array(101).fill(descriptor('user=a')) },           /expected at most 100, got 101/],
    ['too many entries',      { domain: 'shop', descriptors: [descriptor(...Array(61).fill('user=a'))] },       /expected 1 to 60, got 61/],
  ])('with %s is told so', async (_what, request, words) => {
    await expect(client.limit(request)).rejects.toMatchObject({ code: 3, details: expect.stringMatching(words) })
    expect((await limit(descriptor('user=alex'))).overall_code).toBe('OK')
  })

  it('of a megabyte harms nobody', async () => {
    const huge = descriptor(`user=${'a'.repeat(1_000_000)}`)
    await expect(limit(huge)).rejects.toMatchObject({ code: 8 })
    expect((await limit(descriptor('user=alex'))).overall_code).toBe('OK')
  })

  it('with an empty value is counted like any other, whatever follows', async () => {
    for (let i = 0; i < 2; i++) await limit(descriptor('user=', 'path=/pay'))
    expect((await limit(descriptor('user=', 'path=/pay'))).overall_code).toBe('OVER_LIMIT')
    expect((await limit(descriptor('user='))).statuses[0]).toMatchObject({ limit_remaining: 2 })
    expect((await limit(descriptor('user=path'))).statuses[0]).toMatchObject({ limit_remaining: 4 })
  })

  it('names may be any text', async () => {
    for (const name of ['__proto__', 'constructor', '*', 'a/b', '動物園 🐅', '\u0000', ' ']) {
      const { statuses } = await limit(descriptor(`user=${name}`))
      expect(statuses[0]).toMatchObject({ code: 'OK', limit_remaining: 4 })
    }
  })
})

describe('health, by the protocol of gRPC', () => {
  it('is that of the service, and of none other', async () => {
    expect(await client.check({ service: '' })).toEqual({ status: 'SERVING' })
    expect(await client.check({ service: 'envoy.service.ratelimit.v3.RateLimitService' })).toEqual({
      status: 'SERVING',
    })
    await expect(client.check({ service: 'other' })).rejects.toMatchObject({ code: 5 })
  })

  it('of another service is unknown, and who watches it holds nothing up at the end', async () => {
    const watched = client.health.Watch({ service: 'other' })
    const ended = new Promise((resolve) => watched.on('end', resolve))
    const [{ status }] = await once(watched, 'data')
    expect(status).toBe('SERVICE_UNKNOWN')
    await server.close()
    await ended
  })

  it('says no while the service drains, which answers as before', async () => {
    const draining = await served(text, { drain: '300ms' })
    const closed = draining.server.close()
    expect(await draining.client.check({ service: '' })).toEqual({ status: 'NOT_SERVING' })
    const answer = await draining.client.limit({ domain: 'shop', descriptors: [descriptor('user=alex')] })
    expect(answer.overall_code).toBe('OK')
    await closed
    await expect(draining.client.check({ service: '' })).rejects.toMatchObject({ code: 14 })
    await draining.end()
  })

  it('is told to who watches when it changes, before the server ends', async () => {
    const seen: unknown[] = []
    const watched = client.health.Watch({ service: '' })
    const ended = new Promise((resolve) => watched.on('end', resolve))
    const first = new Promise((resolve) => watched.once('data', resolve))
    watched.on('data', ({ status }) => seen.push(status))
    await first
    await server.close()
    await ended
    expect(seen).toEqual(['SERVING', 'NOT_SERVING'])
  })
})
