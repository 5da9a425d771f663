import http from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { CrowdTicket, EndpointState, OpenedRun, RunOrder } from '@sluice/cli/endpoint'
import { killPrograms } from './program.ts'
import { bodyOf, frameworks, type RunningZoo, startZoo } from './zoo.ts'

const log = { strategy: 'slidingWindowLog', limit: 3, window: '10s' }
const gate = { strategy: 'uniform', interval: '10s', key: 'visitor' } as const

/** What a command does with a zoo's endpoint. */
class Driver {
  readonly #url: string

  constructor({ url }: RunningZoo) {
    this.#url = url
  }

  open(order: RunOrder): Promise<Response> {
    return fetch(`${this.#url}/crowd`, { method: 'POST', body: JSON.stringify(order) })
  }

  async opened(order: RunOrder): Promise<OpenedRun> {
    return bodyOf<OpenedRun>(await this.open(order))
  }

  visit({ tickets }: OpenedRun, visitor: string): Promise<Response> {
    return fetch(this.#url + tickets, { method: 'POST', headers: { 'X-Visitor': visitor } })
  }

  async statuses(run: OpenedRun, visitors: readonly string[]): Promise<readonly number[]> {
    const statuses: number[] = []
    for (const visitor of visitors) statuses.push((await this.visit(run, visitor)).status)
    return statuses
  }

  end({ run }: OpenedRun): Promise<Response> {
    return fetch(`${this.#url}/crowd/${run}`, { method: 'DELETE' })
  }

  async state(): Promise<EndpointState> {
    return bodyOf<EndpointState>(await fetch(`${this.#url}/crowd`))
  }
}

describe.each(frameworks)('the endpoint of the zoo on %s', (framework) => {
  let zoo: RunningZoo
  let driver: Driver
  beforeAll(async () => {
    zoo = await startZoo('--framework', framework)
    driver = new Driver(zoo)
  })
  afterAll(killPrograms)

  test('takes policies for one run', async () => {
    const answer = await driver.open({ title: 'pair', policies: { gate, log }, seconds: 60 })
    expect(answer.status).toBe(201)
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    const run = await bodyOf<OpenedRun>(answer)
    expect(run).toMatchObject({ limiter: 'crowd pair', seconds: 60 })
    expect(await driver.statuses(run, ['ann', 'ann', 'bob', 'eve', 'dan'])).toEqual([201, 429, 201, 201, 429])
    expect(await driver.state()).toMatchObject({ open: { run: run.run, admitted: 3, refused: 2 } })
    expect((await driver.open({ title: 'other', policies: { log } })).status).toBe(409)
    expect((await driver.end(run)).status).toBe(204)
    expect(await driver.state()).toEqual({ open: null })
    expect(await driver.statuses(run, ['ann'])).toEqual([404])
  })

  test('answers its visitors with a ticket and its fields, or a refusal as any', async () => {
    const run = await driver.opened({ title: 'one', policies: { log: { ...log, limit: 1 } } })
    const sold = await driver.visit(run, 'Zoe')
    expect(sold.headers.get('x-ratelimit-remaining')).toBe('0')
    const { askedUs, answeredUs, ...ticket } = await bodyOf<CrowdTicket>(sold)
    expect(ticket).toEqual({ run: run.run, visitor: 'Zoe' })
    expect(answeredUs).toBeGreaterThanOrEqual(askedUs)
    const refused = await driver.visit(run, 'ann')
    expect(refused.headers.get('content-type')).toBe('application/problem+json')
    const { retryAfter, ...problem } = await bodyOf<{ readonly retryAfter: number }>(refused)
    expect(problem).toMatchObject({ status: 429, reason: 'limited' })
    // A busy machine may take seconds between the two.
    expect(retryAfter).toBeLessThanOrEqual(10)
    expect(retryAfter).toBeGreaterThan(0)
    await driver.end(run)
  })

  test('gives a place back when its visitor has gone', async () => {
    const inside = { strategy: 'concurrency', limit: 1 }
    const run = await driver.opened({ title: 'in flight', policies: { inside }, visitMs: 50 })
    expect(await driver.statuses(run, ['ann', 'bob', 'eve'])).toEqual([201, 201, 201])
    await driver.end(run)
  })

  // biome-ignore format: a table
  test.each([
    // what                  method    path                    headers                    status
    ['a wrong policy',       'POST',   '/crowd',               {},                        400],
    ['no visitor',           'POST',   '/crowd/0000/tickets',  {},                        404],
    ['an unknown run',       'DELETE', '/crowd/0000',          {},                        404],
    ['another method',       'PUT',    '/crowd',               {},                        405],
    ['another method',       'GET',    '/crowd/0000',          {},                        405],
    ['tickets that are read','GET',    '/crowd/0000/tickets',  {},                        404],
    ['a proxy',              'GET',    '/crowd',               { Via: '1.1 gate' },       403],
    ['a proxy',              'POST',   '/crowd/0000/tickets',  { 'X-Forwarded-For': '::1' }, 403],
    ['a page elsewhere',     'POST',   '/crowd',               { Origin: 'http://a.b' },  403],
    ['a name led here',      'POST',   '/crowd',               { Host: 'zoo.example' },   403],
  ])('turns away %s: %s %s', async (_what, method, path, headers, status) => {
    const answer = await ask(zoo, { method, path, headers })
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([status, 'application/problem+json'])
  })
})

test.each(frameworks)('the zoo on %s takes no policies with --no-crowd', async (framework) => {
  const zoo = await startZoo('--framework', framework, '--no-crowd')
  const driver = new Driver(zoo)
  expect((await driver.open({ title: 'log', policies: { log } })).status).toBe(404)
  expect((await fetch(`${zoo.url}/crowd`)).status).toBe(404)
  await killPrograms()
})

/** With any fields, also those that fetch keeps for itself. */
function ask(
  { url }: RunningZoo,
  { method, path, headers }: { method: string; path: string; headers: Record<string, string> },
): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = http.request(url + path, { method, headers, agent: false }, (answer) => {
      answer.resume()
      resolve(answer)
    })
    request.once('error', reject)
    request.end(method === 'POST' ? '{}' : undefined)
  })
}
