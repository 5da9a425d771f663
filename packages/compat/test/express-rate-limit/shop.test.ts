import type { RequestListener } from 'node:http'
import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { type Served, serve } from '../serve.ts'

// What holds of the one holds of the other.
describe.each(['theirs', 'ours'])('a shop on the limiter that is %s', (name) => {
  let shopOf: (alarms: string[]) => RequestListener
  let site: Served
  let alarms: string[]

  /** The application, with its import changed. */
  beforeAll(() =>
    jest.isolateModulesAsync(async () => {
      const ours = () => require('../../src/express-rate-limit/index.ts')
      if (name === 'ours') jest.doMock('express-rate-limit', ours)
      const { shop } = await import('./shop/app.ts')
      shopOf = shop
    }),
  )
  beforeEach(async () => {
    alarms = []
    site = await serve(shopOf(alarms))
  })
  afterEach(() => site.close())

  async function post(path: string, body: object): Promise<{ status: number; text: string }> {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(site.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    return { status: response.status, text: await response.text() }
  }

  it('lets twenty requests pass in all, and answers its health besides', async () => {
    const startedMs = performance.now()
    const statuses: number[] = []
    for (let i = 0; i < 22; i++) statuses.push((await site.get('/nothing')).status)
    expect(statuses).toEqual([...Array(20).fill(404), 429, 429])
    const { status, headers, text } = await site.get('/nothing')
    expect({ status, text }).toEqual({ status: 429, text: 'Too many requests, please try again later.' })
    const left = /^"shop"; r=0; t=(\d+)$/.exec(headers.get('ratelimit') ?? '')?.[1]
    expect(Number(left)).toBeLessThanOrEqual(900)
    expect(Number(left)).toBeGreaterThanOrEqual(Math.floor(900 - (performance.now() - startedMs) / 1000))
    expect(headers.get('ratelimit-policy')).toBe('"shop"; q=20; w=900; pk=:MTJjYTE3YjQ5YWYy:')
    expect(headers.get('retry-after')).toBe(left)
    expect((await site.get('/health')).text).toBe('ok')
  })

  it('counts failed logins only, raises one alarm, and forgets them after a captcha', async () => {
    const right = { user: 'bob', password: 'secret' }
    const wrong = { user: 'bob', password: 'guess' }
    const statuses: number[] = []
    for (const body of [right, right, wrong, wrong, wrong, wrong, right])
      statuses.push((await post('/login', body)).status)
    expect(statuses).toEqual([204, 204, 401, 401, 401, 429, 429])
    expect(alarms).toEqual(['too many failures of bob'])
    expect(JSON.parse((await post('/login', right)).text)).toEqual({
      error: 'Too many requests, please try again later.',
    })
    expect((await post('/login', { ...right, user: 'alice' })).status).toBe(204)
    await post('/captcha', { user: 'bob' })
    expect((await post('/login', right)).status).toBe(204)
  })

  it('has plans', async () => {
    const asked: unknown[] = []
    const ask = async (plan: string, key: string) => {
      const { status, text, headers } = await site.get('/api', { 'x-plan': plan, 'x-api-key': key })
      asked.push([
        status,
        JSON.parse(text),
        headers.get('ratelimit-policy'),
        headers.get('x-ratelimit-limit'),
      ])
    }
    for (let i = 0; i < 3; i++) await ask('free', 'a')
    await ask('paid', 'b')
    expect(asked).toEqual([
      [
        200,
        expect.objectContaining({ limit: 2, used: 1, remaining: 1 }),
        expect.stringContaining('2;w=60'),
        '2',
      ],
      [
        200,
        expect.objectContaining({ limit: 2, used: 2, remaining: 0 }),
        expect.stringContaining('2;w=60'),
        '2',
      ],
      [420, { error: 'slow down' }, expect.stringContaining('2;w=60'), '2'],
      [
        200,
        expect.objectContaining({ limit: 4, used: 1, remaining: 3 }),
        expect.stringContaining('4;w=60'),
        '4',
      ],
    ])
  })
})
