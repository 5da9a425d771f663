import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { killPrograms } from './program.ts'
import { follow, nearKeys, totalsOf } from './stream.ts'
import { bodyOf, buy, frameworks, type RunningZoo, startZoo } from './zoo.ts'

describe.each(frameworks)('the zoo on %s', (framework) => {
  let zoo: RunningZoo
  beforeAll(async () => {
    zoo = await startZoo('--framework', framework, '--hosts', 'zoo.example')
  })
  afterAll(killPrograms)

  test('has the dashboard, with a policy for its page that is its own', async () => {
    const led = await fetch(`${zoo.url}/dashboard`)
    expect([led.status, led.url]).toEqual([200, `${zoo.url}/dashboard/`])
    expect(led.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const policy = String(led.headers.get('content-security-policy'))
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("form-action 'none'")
    const script = await fetch(`${zoo.url}/dashboard/chart.js`)
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect((await fetch(`${zoo.url}/dashboard/nothing.js`)).status).toBe(404)
    expect((await fetch(`${zoo.url}/dashboards`)).status).toBe(404)
  })

  test('shows there what it has sold', async () => {
    for (let i = 0; i < 3; i++) await buy(zoo, 'otter', { visitor: 'bob', quantity: 10 })
    await buy(zoo, 'otter', { visitor: 'bob', quantity: 7 })
    const { rows } = await follow(zoo, (shown) => {
      const { admitted, refused } = totalsOf(shown)['otter:attraction'] ?? {}
      return admitted === 30 && refused === 7
    })
    expect(rows?.rows).toContainEqual(
      expect.objectContaining({ limiter: 'otter', strategy: 'leaky bucket', windowSeconds: 3 }),
    )
  })

  test('shows there the policies of the latest runs, and what they did', async () => {
    const log = { strategy: 'slidingWindowLog', limit: 3, window: '10s' }
    const body = JSON.stringify({ title: 'log', policies: { log } })
    const run = await bodyOf(await fetch(`${zoo.url}/crowd`, { method: 'POST', body }))
    for (const visitor of ['ann', 'bob', 'eve', 'dan', 'ann']) {
      await fetch(`${zoo.url}${run.tickets}`, { method: 'POST', headers: { 'X-Visitor': visitor } })
    }
    await fetch(`${zoo.url}/crowd/${run.run}`, { method: 'DELETE' })
    const { rows, keys } = await follow(zoo, (shown) => {
      const { admitted, refused } = totalsOf(shown)['crowd log:log'] ?? {}
      return admitted === 3 && refused === 2
    })
    const facts = { limiter: 'crowd log', policy: 'log', rule: '3 in 10 s', limit: 3, manyKeys: false }
    expect(rows?.rows).toContainEqual(expect.objectContaining(facts))
    const near = nearKeys(keys).find(({ limiter }) => limiter === 'crowd log')
    const inspected = await fetch(`${zoo.url}/dashboard/inspect`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ id: near?.id }),
    })
    expect(await bodyOf(inspected)).toMatchObject({ limiter: 'crowd log', used: 3, limit: 3 })
  })

  // biome-ignore format: a table
  test.each([
    // who                          headers                        may manage
    ['a page on this machine',      {},                            true],
    ['a page behind a proxy',       { 'X-Forwarded-For': '::1' },  false],
    ['a page behind a proxy that names itself by no field', { Host: 'zoo.example' }, false],
  ])('lets %s manage keys: %j, %s', async (_who, headers, may) => {
    const { hello } = await follow(zoo, ({ hello }) => hello !== undefined, headers)
    expect(hello?.mayManage).toBe(may)
  })

  test('shows nothing on the dashboard to a page that was led here', async () => {
    const shown = await follow(zoo, ({ hello }) => hello !== undefined, { Host: 'evil.example' })
    expect(shown).toEqual({})
  })

  test('counts for Prometheus', async () => {
    await buy(zoo, 'giraffe', { visitor: 'bob' })
    const answer = await fetch(`${zoo.url}/metrics`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=/)
    const text = await answer.text()
    expect(text).toMatch(/^sluice_decisions_total\{.*limiter="giraffe".*\} 1$/m)
    expect(text).toMatch(/^sluice_queue_\w+\{.*queue="meerkat".*\} 0$/m)
    expect((await fetch(`${zoo.url}/metrics`, { method: 'POST' })).status).toBe(405)
  })
})
