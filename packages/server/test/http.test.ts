import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { memoryStore } from '@sluice/core'
import { type LimitsServer, serveLimits } from '../src/index.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'server-http-'))
const file = path.join(folder, 'limits.yaml')
const logger = { warn() {}, error() {} }
const limitsText = `
charge: all-or-nothing
schema:
  user: { children: { "*": { limits: { strategy: fixedWindow, limit: 2, window: 1h } } } }
  ip: { children: { "*": { limits: { strategy: fixedWindow, limit: 1, window: 1h } }, "203.0.113.66": { limits: deny } } }
`
let server: LimitsServer
let url = ''
beforeAll(() => writeFileSync(file, limitsText))
afterAll(() => rmSync(folder, { recursive: true }))
beforeEach(async () => {
  server = await serveLimits({ file, grpc: false, http: { port: 0 }, logger })
  url = `http://127.0.0.1:${server.http?.port}`
})
afterEach(() => server.close())

const post = (body: string) => fetch(`${url}/check`, { method: 'POST', body })
const check = (body: unknown) => post(JSON.stringify(body))

describe('a limit of fractions, of the calendar, of shares', () => {
  const limits = `
schema:
  budget: { limits: { strategy: fixedWindow, limit: 1, window: 1h, unit: 0.01 } }
  month: { limits: { strategy: fixedWindow, limit: 9, every: month, timeZone: UTC } }
  database: { limits: { strategy: fairShare, limit: 10, window: 1h } }
`
  const limitsOf = async (answer: Response) => {
    const { checks } = (await answer.json()) as { checks: { limits: object[] }[] } // compared below
    return checks[0]?.limits[0]
  }
  beforeEach(async () => {
    await server.close()
    writeFileSync(file, limits)
    server = await serveLimits({ file, grpc: false, http: { port: 0 }, logger })
    url = `http://127.0.0.1:${server.http?.port}`
  })
  afterEach(() => writeFileSync(file, limitsText))

  it('takes a part of one, and says so in whole numbers to Envoy', async () => {
    const answer = await check({ path: ['budget'], cost: 0.25 })
    expect(answer.status).toBe(200)
    expect(await limitsOf(answer)).toMatchObject({ limit: 1, remaining: 0.75 })
    expect((await check({ path: ['budget'], cost: 0.001 })).status).toBe(400)
    const envoy = { domain: 'budget', descriptors: [{ entries: [{ key: 'a', value: 'b' }], hitsAddend: 0 }] }
    const json = await fetch(`${url}/json`, { method: 'POST', body: JSON.stringify(envoy) })
    // Less than a whole one is left, which the protocol cannot say.
    expect(await json.json()).toMatchObject({
      statuses: [{ code: 'OK', currentLimit: { requestsPerUnit: 1 } }],
    })
  })

  it('begins a month where the call says', async () => {
    const begun = Date.now() - 86_400_000
    const answer = await check({ path: ['month'], since: new Date(begun).toISOString() })
    expect(answer.status).toBe(200)
    const { resetAfterMs = 0 } = (await limitsOf(answer)) as { resetAfterMs?: number } // a number, as the next line says
    const end = new Date(Date.now() + resetAfterMs)
    const next = new Date(begun)
    next.setUTCMonth(next.getUTCMonth() + 1, 1)
    expect([end.getUTCMonth()]).toEqual([next.getUTCMonth()])
    expect((await check({ path: ['month'], since: 'yesterday' })).status).toBe(400)
  })

  it('knows the clients by their notes', async () => {
    expect((await check({ path: ['database'], note: 'amy', cost: 6 })).status).toBe(200)
    const both = [
      { path: ['database'], note: 'ben', cost: 2 },
      { path: ['database'], note: 'cat', cost: 2 },
    ]
    expect((await check({ checks: both })).status).toBe(200)
    expect((await check({ path: ['database'], note: 'ben' })).status).toBe(429)
  })
})

describe('POST /check', () => {
  it('takes, and says what is left', async () => {
    const answer = await check({ path: ['user', 'alex'] })
    expect([answer.status, answer.headers.get('X-RateLimit-Remaining')]).toEqual([200, '1'])
    expect(await answer.json()).toEqual({
      allowed: true,
      checks: [
        {
          allowed: true,
          limits: [
            {
              name: 'user/*',
              allowed: true,
              limit: 2,
              remaining: 1,
              resetAfterMs: expect.any(Number),
              retryAfterMs: null,
            },
          ],
        },
      ],
    })
  })

  it('refuses with 429, Retry-After and a problem, and charges none of several', async () => {
    const checks = [{ path: ['user', 'alex'] }, { path: ['ip', '203.0.113.9'], cost: 1 }]
    expect((await check({ checks })).status).toBe(200)
    const answer = await check({ checks })
    expect([answer.status, answer.headers.get('Content-Type')]).toEqual([429, 'application/problem+json'])
    expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(3500)
    expect(await answer.json()).toMatchObject({
      status: 429,
      allowed: false,
      checks: [{ allowed: true }, { allowed: false, limits: [{ name: 'ip/*', remaining: 0 }] }],
    })
    expect((await server.limits.peek(['user', 'alex'])).remaining).toBe(1)
  })

  it('has one number for what is left of what costs too much', async () => {
    const answer = await check({ path: ['user', 'alex'], cost: 3 })
    expect([answer.status, answer.headers.get('X-RateLimit-Remaining')]).toEqual([429, '0'])
    expect(await answer.json()).toMatchObject({
      checks: [{ limits: [{ remaining: 0, retryAfterMs: null }] }],
    })
    expect((await check({ path: ['user', 'alex'], cost: 2 })).status).toBe(200)
  })

  it('says 403 where the file denies', async () => {
    expect((await check({ path: ['ip', '203.0.113.66'] })).status).toBe(403)
  })

  // biome-ignore format: a table
  it.each([
    ['',                                                   /JSON/],
    ['{',                                                  /JSON/],
    ['null',                                               /an object such as/],
    ['[]',                                                 /an object such as/],
    ['"user"',                                             /an object such as/],
    ['{}',                                                 /path: expected a list of 1 to 120 names/],
    ['{"path":"user"}',                                    /path: expected a list/],
    ['{"path":[]}',                                        /path: expected a list/],
    ['{"path":["user",null]}',                             /path: expected a list/],
    ['{"path":["user",{}]}',                               /path: expected a list/],
    ['{"path":["user",""]}',                               /path: expected a list/],
    ['{"path":["user","a"],"cost":-1}',                    /cost: expected a whole number/],
    ['{"path":["user","a"],"cost":"1"}',                   /cost: expected a whole number/],
    ['{"path":["user","a"],"cost":0.5}',                   /cost: expected a whole number/],
    ['{"path":["user","a"],"note":7}',                     /note: expected a string/],
    ['{"path":["user","a"],"since":[]}',                   /since: expected an instant/],
    ['{"path":["user","a"],"since":"2024-01-31T09:00:00Z"}', /since: expected to be left out/],
    ['{"path":["user","a"],"cost":1e300}',                 /cost: expected a whole number/],
    ['{"path":["user","a"],"policy":"x"}',                 /policy: expected path, cost, note and since only/],
    ['{"checks":[]}',                                      /checks: expected a list of 1 to 100/],
    ['{"checks":[null]}',                                  /checks\[0\]: expected an object with a path/],
    ['{"checks":[{"path":["user","a"]}],"cost":1}',        /cost: expected nothing beside checks/],
    [JSON.stringify({ path: Array(121).fill('a') }),       /path: expected a list of 1 to 120/],
    [JSON.stringify({ checks: Array(101).fill({}) }),      /checks: expected a list of 1 to 100/],
  ])('with %j is told what was expected, and charges nobody', async (body, words) => {
    const answer = await post(body)
    expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ detail: expect.stringMatching(words) })])
    expect((await server.limits.peek(['user', 'a'])).remaining).toBe(2)
  })

  it('takes any text for a name', async () => {
    for (const name of ['__proto__', 'constructor', '*', 'a/b', '動物園 🐅', '\u0000', '\ud800'])
      expect((await check({ path: ['user', name] })).status).toBe(200)
    expect((await post('{"path":["user","a"],"__proto__":{"cost":0}}')).status).toBe(400)
  })

  it('reads a body of at most 64 KiB', async () => {
    expect((await check({ path: ['user', 'a'.repeat(70_000)] })).status).toBe(413)
    expect((await check({ path: ['user', 'a'.repeat(60_000)] })).status).toBe(200)
  })
})

describe('POST /json, the protocol of Envoy', () => {
  const json = (body: unknown) => fetch(`${url}/json`, { method: 'POST', body: JSON.stringify(body) })
  const user = (...values: readonly string[]) => values.map((value) => ({ entries: [{ key: value }] }))

  it('answers in JSON as protobuf writes it', async () => {
    const answer = await json({ domain: 'user', descriptors: user('alex') })
    expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, 'application/json'])
    expect(await answer.json()).toEqual({
      overallCode: 'OK',
      statuses: [
        {
          code: 'OK',
          currentLimit: { requestsPerUnit: 2, unit: 'HOUR', name: 'user/*' },
          limitRemaining: 1,
          durationUntilReset: expect.stringMatching(/^\d+(\.\d{3})?s$/),
        },
      ],
      responseHeadersToAdd: [
        { key: 'x-ratelimit-limit', value: '2' },
        { key: 'x-ratelimit-remaining', value: '1' },
        { key: 'x-ratelimit-reset', value: expect.stringMatching(/^\d+$/) },
      ],
    })
  })

  it('says 429 and a body for the client where a limit refuses, and leaves out what is 0', async () => {
    const answer = await json({ domain: 'user', descriptors: user('alex', 'bob'), hits_addend: '3' })
    const { overallCode, statuses, rawBody } = JSON.parse(await answer.text())
    expect([answer.status, overallCode]).toEqual([429, 'OVER_LIMIT'])
    expect(statuses[0]).toMatchObject({ code: 'OVER_LIMIT' })
    expect(statuses[0]).not.toHaveProperty('limitRemaining')
    expect(JSON.parse(Buffer.from(rawBody, 'base64').toString())).toMatchObject({ status: 429 })
    const denied = await json({ domain: 'ip', descriptors: user('203.0.113.66') })
    expect([denied.status, JSON.parse(await denied.text()).statuses]).toEqual([429, [{ code: 'OVER_LIMIT' }]])
  })

  it('takes names as the protocol file has them, long numbers as texts, and null for nothing', async () => {
    const [one] = user('alex')
    const left = async (body: object) => {
      const { statuses } = JSON.parse(await (await json({ domain: 'user', ...body })).text())
      return statuses[0].limitRemaining
    }
    expect(await left({ descriptors: [{ ...one, hits_addend: '0' }], hitsAddend: 2 })).toBe(2)
    expect(
      await left({ descriptors: [{ ...one, hitsAddend: null, limit: { unit: 'DAY' } }], hitsAddend: null }),
    ).toBe(1)
  })

  // biome-ignore format: a table
  it.each([
    [[],                                                                /the body: expected an object/],
    [{},                                                                /domain: expected a name/],
    [{ domain: 7 },                                                     /domain: expected a string/],
    [{ domain: 'user', descriptors: {} },                               /descriptors: expected a list/],
    [{ domain: 'user', descriptors: [] },                               /descriptors: expected at least one/],
    [{ domain: 'user', descriptors: [7] },                              /descriptors\[0\]: expected an object/],
    [{ domain: 'user', descriptors: [{ entries: [{ value: 'a' }] }] },  /entries: expected a key/],
    [{ domain: 'user', descriptors: [{ entries: [{ name: 'a' }] }] },   /entries\[0\]\.name: expected key, value only/],
    [{ domain: 'user', descriptors: user('a'), hits: 1 },               /hits: expected domain, descriptors, hitsAddend only/],
    [{ domain: 'user', descriptors: user('a'), hitsAddend: -1 },        /hitsAddend: expected a whole number from 0 to 4294967295/],
    [{ domain: 'user', descriptors: user('a'), hitsAddend: 4294967296 }, /hitsAddend: expected a whole number/],
  ])('with %j is told what was expected, and charges nobody', async (body, words) => {
    const answer = await json(body)
    expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ detail: expect.stringMatching(words) })])
    expect((await server.limits.peek(['user', 'a'])).remaining).toBe(2)
  })

  it('asks as little for a page of another origin as /check', async () => {
    const headers = { Origin: 'https://evil.example' }
    const body = JSON.stringify({ domain: 'user', descriptors: user('alex') })
    expect((await fetch(`${url}/json`, { method: 'POST', headers, body })).status).toBe(403)
  })

  it('says 500 where the limits cannot be asked', async () => {
    const broken = await serveLimits({
      file,
      grpc: false,
      http: { port: 0 },
      logger,
      store: {
        name: 'broken',
        answer: () => Promise.reject(new Error('away')),
        adjust: async () => {},
        manage: () => Promise.reject(new Error('away')),
        close: async () => {},
      },
    })
    const body = JSON.stringify({ domain: 'user', descriptors: user('alex') })
    const answer = await fetch(`http://127.0.0.1:${broken.http?.port}/json`, { method: 'POST', body })
    expect(answer.status).toBe(500)
    await broken.close()
  })
})

describe('GET /auth, for proxies that ask before they pass a request on', () => {
  const auth = (headers: Record<string, string>, query = '') => fetch(`${url}/auth${query}`, { headers })

  it('answers with fields and no body, one path for each field', async () => {
    const headers = { 'X-Limit-User': 'alex/../bob', 'X-Limit-Ip': '203.0.113.9' }
    const passed = await auth(headers)
    expect([passed.status, await passed.text()]).toEqual([204, ''])
    const refused = await auth(headers)
    expect([refused.status, await refused.text(), refused.headers.get('X-Limit-Status')]).toEqual([
      429,
      '',
      '429',
    ])
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(3500)
    expect((await server.limits.peek(['user', 'alex/../bob'])).remaining).toBe(1)
  })

  it('says 403 to a proxy that passes on nothing else', async () => {
    await auth({ 'X-Limit-Ip': '::1' })
    const refused = await auth({ 'X-Limit-Ip': '::1' }, '?status=403')
    expect([refused.status, refused.headers.get('X-Limit-Status')]).toEqual([403, '429'])
  })

  it('wants at least one path', async () => {
    expect((await auth({})).status).toBe(400)
    expect((await auth({ 'X-Other': 'a' })).status).toBe(400)
  })

  it('asks about at most 100 paths, and charges none of more', async () => {
    const fields = (count: number) =>
      Array.from({ length: count }, (_, i) => [`X-Limit-User-${i}`, 'a'] as const)
    expect((await auth({ ...Object.fromEntries(fields(99)), 'X-Limit-User': 'a' })).status).toBe(204)
    const refused = await auth({ ...Object.fromEntries(fields(100)), 'X-Limit-User': 'a' })
    expect([refused.status, await refused.json()]).toEqual([
      400,
      expect.objectContaining({ detail: expect.stringContaining('at most 100 fields') }),
    ])
    expect((await server.limits.peek(['user', 'a'])).remaining).toBe(1)
  })

  it('an empty value is counted like any other', async () => {
    for (let i = 0; i < 2; i++) expect((await auth({ 'X-Limit-User': '' })).status).toBe(204)
    expect((await auth({ 'X-Limit-User': '' })).status).toBe(429)
  })
})

describe('a page in a browser', () => {
  const port = () => server.http?.port ?? 0
  /** What `fetch` would not let a program write. */
  const raw = async (method: string, path: string, fields: readonly string[], body = '') => {
    const socket = connect(port(), '127.0.0.1')
    const lines = [
      `${method} ${path} HTTP/1.1`,
      ...fields,
      `Content-Length: ${body.length}`,
      'Connection: close',
    ]
    socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`)
    return textOf(socket)
  }
  const ask = (...fields: string[]) => raw('POST', '/check', fields, '{"path":["user","alex"]}')

  // biome-ignore format: a table
  it.each<[string, (own: string) => readonly string[], number]>([
    // who asks                               the fields that say so                                                              answer
    ['curl -d',                               (own) => [`Host: ${own}`, 'Content-Type: application/x-www-form-urlencoded'],       200],
    ['a program without a type',              (own) => [`Host: ${own}`],                                                          200],
    ['a program that asks by a name',         () => ['Host: limits.internal:8080'],                                               200],
    ['its own origin',                        (own) => [`Host: ${own}`, `Origin: http://${own}`],                                 200],
    ['its own origin, as browsers say',       (own) => [`Host: ${own}`, `Origin: http://${own}`, 'Sec-Fetch-Site: same-origin'],  200],
    ['a page of another site',                (own) => [`Host: ${own}`, 'Origin: https://evil.example'],                          403],
    ['another port of this machine',          (own) => [`Host: ${own}`, 'Origin: http://127.0.0.1:1'],                            403],
    ['a sandboxed page or a file',            (own) => [`Host: ${own}`, 'Origin: null'],                                          403],
    ['a page of another site, without names', (own) => [`Host: ${own}`, 'Sec-Fetch-Site: cross-site'],                            403],
    ['a page of the same site',               (own) => [`Host: ${own}`, 'Sec-Fetch-Site: same-site'],                             403],
    ['a bookmark that posts',                 (own) => [`Host: ${own}`, 'Sec-Fetch-Site: none'],                                  403],
    ['a page whose name was led here',        () => ['Host: evil.example', 'Origin: http://evil.example'],                        403],
  ])('asks POST /check as %s', async (_who, fields, status) => {
    expect(await ask(...fields(`127.0.0.1:${port()}`))).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect((await server.limits.peek(['user', 'alex'])).remaining).toBe(status === 200 ? 1 : 2)
  })

  it('is permitted nothing by any route: it can neither send fields to /auth nor read an answer', async () => {
    const fields = ['Host: 127.0.0.1', 'Origin: https://evil.example', 'Sec-Fetch-Site: cross-site']
    const wish = [
      ...fields,
      'Access-Control-Request-Method: GET',
      'Access-Control-Request-Headers: x-limit-user',
    ]
    for (const path of ['/check', '/auth', '/healthz', '/readyz', '/metrics', '/other']) {
      const asked = await raw('OPTIONS', path, wish)
      expect(asked).toMatch(/^HTTP\/1\.1 40[45] /)
      expect(asked + (await raw('GET', path, fields))).not.toMatch(/access-control/i)
    }
  })

  it('is no matter where a proxy passes on what its client sent', async () => {
    const fields = ['Host: shop.example', 'Origin: https://shop.example', 'Sec-Fetch-Site: cross-site']
    expect(await raw('GET', '/auth', [...fields, 'X-Limit-User: alex'])).toMatch(/^HTTP\/1\.1 204 /)
  })
})

describe('beside it', () => {
  it('are health, readiness and metrics', async () => {
    await check({ path: ['user', 'alex'] })
    const health = await fetch(`${url}/healthz`)
    expect([health.status, await health.json()]).toEqual([200, expect.objectContaining({ status: 'ok' })])
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    const metrics = await fetch(`${url}/metrics`)
    expect(await metrics.text()).toContain(
      'sluice_decisions_total{limiter="service",policy="user/*",source="memory",outcome="allowed"} 1',
    )
    expect((await fetch(`${url}/other`)).status).toBe(404)
    expect((await fetch(`${url}/__proto__`)).status).toBe(404)
    const wrong = await fetch(`${url}/check`)
    expect([wrong.status, wrong.headers.get('Allow')]).toEqual([405, 'POST'])
  })

  it('a client that hangs up in the middle of its body harms nobody', async () => {
    const socket = connect(server.http?.port ?? 0, '127.0.0.1')
    socket.write('POST /check HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"path"')
    await new Promise((resolve) => socket.once('connect', resolve))
    socket.destroy()
    expect((await check({ path: ['user', 'alex'] })).status).toBe(200)
  })

  it('what is no HTTP is answered with 400', async () => {
    const socket = connect(server.http?.port ?? 0, '127.0.0.1')
    socket.end('\u0000\u0001\r\n\r\n')
    expect(await textOf(socket)).toMatch(/^HTTP\/1\.1 400 /)
  })
})

it('a reload that went well is logged and counted', async () => {
  const lines: string[] = []
  const told = {
    warn: (line: string) => void lines.push(line),
    error: (line: string) => void lines.push(line),
  }
  const own = await serveLimits({ file, grpc: false, http: { port: 0 }, logger: told, drain: '0s' })
  const metrics = async () => (await fetch(`http://127.0.0.1:${own.http?.port}/metrics`)).text()
  expect(await metrics()).toContain('sluice_reloads_total{limiter="service"} 0')
  writeFileSync(file, limitsText.replace('limit: 2', 'limit: 8'))
  while (own.health().reloads === undefined) await new Promise((resolve) => setTimeout(resolve, 20))
  expect(await metrics()).toMatch(/^sluice_reloads_total\{limiter="service"\} [1-9]/m)
  expect(lines[0]).toBe(`[sluice] ${file} was read again, and applies`)
  writeFileSync(file, limitsText)
  await own.close()
})

it('a change of the file applies, and a broken one is seen in health and metrics', async () => {
  const reloaded = () => server.limits.explain(['user', 'alex'])[0]?.rule
  writeFileSync(file, limitsText.replace('limit: 2', 'limit: 7'))
  const until = async (what: () => unknown) => {
    while (!what()) await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await until(() => String(reloaded()).includes('7'))
  writeFileSync(file, 'schema: [')
  await until(() => server.health().failedReloads !== undefined)
  expect(server.health().status).toBe('degraded')
  expect(await (await fetch(`${url}/metrics`)).text()).toContain('sluice_reload_failed{limiter="service"} 1')
  expect(String(reloaded())).toContain('7')
  writeFileSync(file, limitsText)
  await until(() => server.health().failedReloads === undefined)
})

// biome-ignore format: a table
it.each([
  [{ drain: 5 },             ["drain is 5 ms: for seconds write '5s'"]],
  [{ grace: 5 },             ["grace is 5 ms: for seconds write '5s'"]],
  [{ maxConnectionAge: 60 }, ["maxConnectionAge is 60 ms: for seconds write '60s'"]],
  [{ drain: 0, grace: '5ms', maxConnectionAge: '60ms' }, []],
])('times that were most likely meant in seconds: %j', async (times, warned) => {
  const said: string[] = []
  const log = (text: string) => said.push(text.replace(/^\[sluice\] SLUICE_SHORT_TIME: | \(http.*/g, ''))
  const taken = { grpc: false, http: { port: server.http?.port } } as const
  await expect(serveLimits({ file, ...taken, ...times, logger: { warn: log, error: log } } as never)).rejects.toThrow()
  expect(said).toEqual(warned)
})

it('options that make no sense are named, and a port that is taken too', async () => {
  const serve = (options: object) => serveLimits({ file, logger, ...options } as never)
  await expect(serve({ file: '' })).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: 'file' })
  await expect(serve({ grpc: { port: 70_000 } })).rejects.toMatchObject({ path: 'grpc.port' })
  await expect(serve({ http: { prot: 1 } })).rejects.toMatchObject({ path: 'http.prot' })
  await expect(serve({ shadow: null })).rejects.toMatchObject({ path: 'shadow' })
  await expect(serve({ prefix: 'shop:' })).rejects.toMatchObject({ path: 'prefix' })
  await expect(serve({ prefix: 'shop:', store: memoryStore() })).rejects.toMatchObject({ path: 'prefix' })
  await expect(serve({ drain: null })).rejects.toMatchObject({ path: 'drain' })
  await expect(serve({ grpc: false, http: false })).rejects.toMatchObject({ path: 'http' })
  await expect(serve({ grpc: false, http: { port: server.http?.port } })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  })
})
