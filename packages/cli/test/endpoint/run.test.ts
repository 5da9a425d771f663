import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { memoryStore, type Observer, type Store } from '@sluice/core'
import { memorySink, recorder } from '@sluice/telemetry'
import { Site } from './site.ts'

const log = { strategy: 'slidingWindowLog', limit: 2, window: '10s' }
const gate = { strategy: 'uniform', interval: '10s', key: 'visitor' } as const

describe('a run', () => {
  let site: Site
  beforeEach(async () => {
    site = await new Site().listen()
  })
  afterEach(() => site.close())

  it('says what it is and where its tickets are', async () => {
    const { status, headers, body } = await site.open({ title: 'log', policies: { log }, seconds: 30 })
    const id = String(body.run)
    expect(id).toMatch(/^[\da-f]{8}$/)
    expect(status).toBe(201)
    expect(headers).toMatchObject({
      location: `/crowd/${id}`,
      'cache-control': 'no-store',
      'content-type': 'application/json',
    })
    expect(body).toEqual({ run: id, limiter: 'crowd log', tickets: `/crowd/${id}/tickets`, seconds: 30 })
  })

  it('counts everybody together, unless asked to count each visitor', async () => {
    const together = await site.open({ title: 'log', policies: { log } })
    expect(await site.visit(together, ['ann', 'bob', 'eve'])).toEqual([201, 201, 429])
    await site.ask('DELETE', `/crowd/${together.body.run}`)
    const each = await site.open({ title: 'gate', policies: { gate } })
    expect(await site.visit(each, ['ann', 'ann', 'bob'])).toEqual([201, 429, 201])
  })

  it('asks all its policies, and a shadow refuses nobody', async () => {
    const policies = { gate, log, allowance: { ...log, limit: 1, shadow: true } }
    const pair = await site.open({ title: 'pair', policies })
    expect(await site.visit(pair, ['ann', 'ann', 'bob', 'eve'])).toEqual([201, 429, 201, 429])
  })

  it('answers a refusal as any limited route', async () => {
    const opened = await site.open({ title: 'log', policies: { log: { ...log, limit: 1 } } })
    await site.visit(opened, ['ann'])
    const { status, headers, body } = await site.ask('POST', String(opened.body.tickets), {
      headers: { 'X-Visitor': 'bob' },
    })
    expect(status).toBe(429)
    expect(headers).toMatchObject({ 'retry-after': '10', 'x-ratelimit-limit': '1' })
    expect(body).toMatchObject({ reason: 'limited', 'violated-policies': ['crowd log'] })
  })

  it('sells a ticket that says between which instants it was decided', async () => {
    const { body } = await site.open({ title: 'log', policies: { log } })
    const nowUs = site.clock.nowUs()
    const sold = await site.ask('POST', String(body.tickets), { headers: { 'X-Visitor': ' ann ' } })
    expect(sold.status).toBe(201)
    expect(sold.body).toEqual({ run: body.run, visitor: 'ann', askedUs: nowUs, answeredUs: nowUs })
  })

  it('keeps an admitted visitor inside for a while, and his place taken', async () => {
    const inside = { strategy: 'concurrency', limit: 1 }
    const { body } = await site.open({ title: 'in flight', policies: { inside }, visitMs: 500 })
    const enter = (visitor: string) =>
      site.ask('POST', String(body.tickets), { headers: { 'X-Visitor': visitor } })
    const ann = enter('ann')
    while ((await stateOf(site))?.admitted !== 1);
    expect((await enter('bob')).status).toBe(429)
    await site.clock.advance(500)
    expect((await ann).status).toBe(201)
    expect(await stateOf(site)).toMatchObject({ admitted: 1, refused: 1 })
  })

  it('is the only one, until it ends by itself', async () => {
    const first = await site.open({ title: 'first', policies: { log }, seconds: 20 })
    await site.clock.advance('12.5s')
    const second = await site.open({ title: 'second', policies: { log } })
    expect([second.status, second.headers['retry-after']]).toEqual([409, '8'])
    expect(second.body.detail).toBe(`Run ${first.body.run}, "first", holds the endpoint for another 8 s.`)
    await site.clock.advance('7.5s')
    expect(await stateOf(site)).toBeNull()
    expect(await site.visit(first, ['ann'])).toEqual([404])
    expect((await site.open({ title: 'second', policies: { log } })).status).toBe(201)
  })

  it('ends when asked to, once', async () => {
    const { body } = await site.open({ title: 'log', policies: { log } })
    expect((await site.ask('DELETE', `/crowd/${body.run}`)).status).toBe(204)
    expect((await site.ask('DELETE', `/crowd/${body.run}`)).status).toBe(404)
    expect(await stateOf(site)).toBeNull()
  })

  it('is not ended by the name of an earlier one', async () => {
    const earlier = await site.open({ title: 'log', policies: { log } })
    await site.ask('DELETE', `/crowd/${earlier.body.run}`)
    await site.open({ title: 'log', policies: { log } })
    expect((await site.ask('DELETE', `/crowd/${earlier.body.run}`)).status).toBe(404)
    expect(await site.visit(earlier, ['ann'])).toEqual([404])
    expect(await stateOf(site)).toMatchObject({ admitted: 0, refused: 0 })
  })

  it('shares nothing with an earlier run of its title', async () => {
    for (let i = 0; i < 2; i++) {
      const run = await site.open({ title: 'pair', policies: { gate, log } })
      expect(await site.visit(run, ['ann', 'bob', 'eve'])).toEqual([201, 201, 429])
      await site.ask('DELETE', `/crowd/${run.body.run}`)
    }
  })

  it('has a name of its own while a chart would add it to an earlier run of its title', async () => {
    const policies = { gate: { ...gate, interval: '3s' }, log }
    const runOf = async (visitors: readonly string[]) => {
      const run = await site.open({ title: 'pair', policies })
      await site.visit(run, visitors)
      await site.ask('DELETE', `/crowd/${run.body.run}`)
      return run.body.limiter
    }
    expect(await runOf([])).toBe('crowd pair')
    expect(await runOf(['ann'])).toBe('crowd pair')
    expect(await runOf(['ann'])).toBe('crowd pair 2')
    expect(await runOf(['ann'])).toBe('crowd pair 3')
    // The log's window, and the second in which the run ended.
    await site.clock.advance(10_999)
    expect(await runOf([])).toBe('crowd pair 4')
    await site.clock.advance(1)
    expect(await runOf([])).toBe('crowd pair')
  })

  it('is shown while it is open', async () => {
    const run = await site.open({ title: 'log', policies: { log }, seconds: 20 })
    await site.visit(run, ['ann', 'bob', 'eve'])
    await site.clock.advance(1)
    expect(await stateOf(site)).toEqual({
      ...run.body,
      title: 'log',
      endsInMs: 19_999,
      admitted: 2,
      refused: 1,
    })
  })

  it('cannot begin while the store does not answer, and leaves the endpoint free', async () => {
    const memory = memoryStore()
    const away: Store = {
      name: 'away',
      answer: (question) => memory.answer(question),
      adjust: (changes) => memory.adjust(changes),
      manage: () => Promise.reject(new Error('away')),
      close: () => memory.close(),
    }
    const other = await new Site({ store: away }).listen()
    for (let i = 0; i < 2; i++) {
      const { status, headers } = await other.open({ title: 'log', policies: { log } })
      expect([status, headers['retry-after']]).toEqual([503, '1'])
    }
    expect(await stateOf(other)).toBeNull()
    await other.close()
  })

  it('is remembered by its title after its end, with its latest policies, among the last 32', async () => {
    for (let i = 0; i <= 33; i++) {
      const title = i === 33 ? 'run 2' : `run ${i}`
      const { body } = await site.open({ title, policies: { log: { ...log, limit: 1 + i } } })
      await site.ask('DELETE', `/crowd/${body.run}`)
    }
    const known = site.endpoint.limiters()
    expect(known).toHaveLength(32)
    expect(known.at(0)?.name).toBe('crowd run 1')
    expect(known.at(-1)?.name).toBe('crowd run 2')
    expect(known.at(-1)?.policies.log?.limit).toBe(34)
  })
})

describe('a load-test endpoint', () => {
  it('is recorded by title and policy', async () => {
    const seen = recorder(memorySink())
    const site = await new Site({ observers: [seen] }).listen()
    const run = await site.open({ title: 'log', policies: { log: { ...log, limit: 1 } } })
    await site.visit(run, ['ann', 'bob'])
    const toMs = Date.now() + 60_000
    const points = await seen.query({ fromMs: toMs - 120_000, toMs, step: '1m' })
    const units = points.map(({ series, values }) => [series, values.reduce((a, b) => a + b)])
    expect(Object.fromEntries(units)).toMatchObject({ 'hits:crowd log:log': 1, 'denied:crowd log:log': 1 })
    await seen.close()
    await site.close()
  })

  it('notifies its observers of what it decides', async () => {
    const seen: string[] = []
    const observer: Observer = {
      decided: ({ limiter, policy, allowed }) => seen.push([limiter, policy, allowed].join()),
    }
    const site = await new Site({ observers: [observer] }).listen()
    await site.visit(await site.open({ title: 'log', policies: { log: { ...log, limit: 1 } } }), [
      'ann',
      'bob',
    ])
    expect(seen).toEqual(['crowd log,log,true', 'crowd log,log,false'])
    await site.close()
  })

  it('lets those inside go when it closes', async () => {
    const site = await new Site().listen()
    const { body } = await site.open({ title: 'in flight', policies: { log }, visitMs: 10_000 })
    const ann = site.ask('POST', String(body.tickets), { headers: { 'X-Visitor': 'ann' } })
    while ((await stateOf(site))?.admitted !== 1);
    await site.endpoint.close()
    expect((await ann).status).toBe(201)
    await site.close()
  })
})

async function stateOf(site: Site): Promise<{ readonly [name: string]: unknown } | null> {
  const { body } = await site.ask('GET', '/crowd')
  return body.open as { readonly [name: string]: unknown } | null // what follows compares it
}
