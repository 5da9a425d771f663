import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { freePort } from '@sluice/faults/outage'
import { bundledExample, killPrograms, sluice, until } from './program.ts'
import { startRedis } from './redis.ts'

const program = bundledExample('paid-api/src/server.ts')
let ask: (path: string, init?: RequestInit) => Promise<Response>

beforeAll(async () => {
  const env = { PORT: String(await freePort()), SUPPORT_TOKEN: 'secret' }
  const url = await (await program(env)).prints(/http:\/\/\S+/)
  ask = (path, init) => fetch(url + path, init)
})
afterAll(killPrograms)

const ada = { 'x-api-key': 'ada-1815' }
const support = { authorization: 'Bearer secret', 'content-type': 'application/json' }

function asked(method: string, body: unknown, headers: Record<string, string> = {}): RequestInit {
  return { method, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
}

describe('an API that is sold by the month', () => {
  it('counts by the calendar, and support corrects the count', async () => {
    const first = await ask('/search', { headers: ada })
    expect([first.status, first.headers.get('x-ratelimit-limit')]).toEqual([200, '1000'])
    expect(first.headers.get('x-ratelimit-remaining')).toBe('999')
    const resetSeconds = Number(first.headers.get('x-ratelimit-reset'))
    const monthEnds = new Date(Date.now() + resetSeconds * 1000 + 60_000)
    const shown = new Intl.DateTimeFormat('en-GB', {
      timeZone: 'Europe/Vienna',
      day: 'numeric',
      hour: '2-digit',
    })
    expect(shown.format(monthEnds)).toBe('1, 00')

    const used = await ask('/support/ada/used', asked('PUT', { used: 1000 }, support))
    expect(await used.json()).toEqual({ used: 1000 })
    expect((await ask('/search', { headers: ada })).status).toBe(429)
    expect((await ask('/search', { headers: { 'x-api-key': 'bob-1972' } })).status).toBe(200)
    const given = await ask('/support/ada/given-back', asked('POST', { units: 20 }, support))
    expect(await given.json()).toEqual({ used: 980 })
    expect((await ask('/search', { headers: ada })).headers.get('x-ratelimit-remaining')).toBe('19')
  })

  it('charges a report twenty times a search', async () => {
    const bob = { 'x-api-key': 'bob-1972' }
    const usedByBob = async () => {
      const { headers } = await ask('/search', { headers: bob })
      return 1000 - Number(headers.get('x-ratelimit-remaining'))
    }
    const before = await usedByBob()
    expect((await ask('/reports', { method: 'POST', headers: bob })).status).toBe(200)
    expect((await usedByBob()) - before).toBe(20 + 1)
  })

  it.each([null, {}, { units: -1 }, { units: '20' }, { units: 1.5 }, []])(
    'gives nothing back for %j',
    async (body) => {
      const answer = await ask('/support/ada/given-back', asked('POST', body, support))
      expect(answer.status).toBe(400)
    },
  )

  it('lets support alone correct, and customers alone search', async () => {
    for (const authorization of ['', 'Bearer ', 'Bearer secrets', 'secret']) {
      const answer = await ask('/support/ada/used', asked('PUT', { used: 0 }, { authorization }))
      expect(answer.status).toBe(401)
    }
    expect((await ask('/search')).status).toBe(401)
    expect((await ask('/search', { headers: { 'x-api-key': 'eve' } })).status).toBe(401)
  })

  it('does not count who knows the password', async () => {
    for (let nth = 0; nth < 20; nth++)
      expect((await ask('/login', asked('POST', { password: 'open sesame' }))).status).toBe(200)
  })

  it('blocks who guesses it, with or without a body', async () => {
    const guess = () => ask('/login', asked('POST', { password: 'guess' }))
    const right = () => ask('/login', asked('POST', { password: 'open sesame' }))
    expect((await ask('/login', { method: 'POST' })).status).toBe(401)
    for (let nth = 0; nth < 4; nth++) expect((await guess()).status).toBe(401)
    const blocked = await guess()
    expect([blocked.status, blocked.headers.get('retry-after')]).toEqual([429, '60'])
    expect(((await blocked.json()) as { reason: string }).reason).toBe('blocked')
    expect((await right()).status).toBe(429)
  })

  it('makes two reports at once, and lets the other callers wait', async () => {
    await ask('/support/ada/used', asked('PUT', { used: 0 }, support))
    const reports = Array.from({ length: 6 }, () => ask('/reports', { method: 'POST', headers: ada }))
    const statuses = (await Promise.all(reports)).map(({ status }) => status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200])
    const last = await ask('/reports', { method: 'POST', headers: ada })
    expect(last.headers.get('x-ratelimit-limit')).toBe('2')
  })
})

it('with Redis, an operator changes the quota while it runs', async () => {
  const redisPort = await freePort()
  await startRedis(redisPort)
  const redis = `redis://127.0.0.1:${redisPort}`
  const env = { PORT: String(await freePort()), REDIS_URL: redis }
  const url = await (await program(env)).prints(/http:\/\/\S+/)
  const limitNow = async () =>
    (await fetch(`${url}/search`, { headers: ada })).headers.get('x-ratelimit-limit')
  expect(await limitNow()).toBe('1000')
  const change = await sluice('change', 'quota', 'limit=2000', '--for', '2h', '--url', redis)
  expect(await change.ended()).toBe(0)
  await until('a quota of 2,000', async () => (await limitNow()) === '2000')
  const restored = await sluice('restore', 'quota', '--url', redis)
  expect(await restored.ended()).toBe(0)
  await until('the quota of before', async () => (await limitNow()) === '1000')
})
