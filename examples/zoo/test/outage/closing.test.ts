import { once } from 'node:events'
import http from 'node:http'
import { afterEach, describe, expect, test } from '@jest/globals'
import type { EndpointState } from '@sluice/cli/endpoint'
import { killPrograms, until } from '../program.ts'
import { bodyOf, buy, frameworks, type RunningZoo, startZoo } from '../zoo.ts'

afterEach(killPrograms)

/** A purchase whose body has begun and not ended. */
async function beginToBuy({ url }: RunningZoo): Promise<http.ClientRequest> {
  const agent = new http.Agent({ keepAlive: true })
  const headers = { 'Content-Length': '17', Expect: '100-continue' }
  const request = http.request(`${url}/attractions/seal/tickets`, { method: 'POST', agent, headers })
  request.on('error', () => {})
  request.flushHeaders()
  await once(request, 'continue')
  request.write('{"visitor":')
  return request
}

async function refusesConnections({ url }: RunningZoo): Promise<boolean> {
  return fetch(`${url}/attractions`).then(
    () => false,
    () => true,
  )
}

describe.each(frameworks)('the zoo on %s', (framework) => {
  test.each(['SIGINT', 'SIGTERM'] as const)('on %s answers who has asked, and ends', async (signal) => {
    const zoo = await startZoo('--framework', framework)
    const request = await beginToBuy(zoo)
    zoo.program.signal(signal)
    await until('refused connection', () => refusesConnections(zoo))
    request.end('"bob"}')
    const [answer] = await once(request, 'response')
    expect(answer.statusCode).toBe(201)
    answer.resume()
    // The connection would stay open for more than that.
    const late = new Promise((resolve) => setTimeout(resolve, 4000, 'late').unref())
    expect(await Promise.race([zoo.program.ended(), late])).toBe(0)
    expect(zoo.program.stderr).toBe('')
  })

  test('says nothing of a visitor who leaves in the middle of an order', async () => {
    const zoo = await startZoo('--framework', framework)
    const request = await beginToBuy(zoo)
    request.destroy()
    expect((await buy(zoo, 'seal', { visitor: 'bob' })).status).toBe(201)
    zoo.program.signal('SIGTERM')
    expect(await zoo.program.ended()).toBe(0)
    expect(zoo.program.stderr).toBe('')
  })
})

test.each(frameworks)(
  'the zoo on %s ends while a page looks on and a visitor is inside',
  async (framework) => {
    const zoo = await startZoo('--framework', framework)
    const page = await fetch(`${zoo.url}/dashboard/stream?span=60`)
    const policies = { inside: { strategy: 'concurrency', limit: 1 } }
    const body = JSON.stringify({ title: 'in flight', policies, visitMs: 10_000 })
    const { tickets } = await bodyOf(await fetch(`${zoo.url}/crowd`, { method: 'POST', body }))
    const visit = fetch(zoo.url + tickets, { method: 'POST', headers: { 'X-Visitor': 'ann' } })
    await until('visitor inside', async () => {
      const { open } = await bodyOf<EndpointState>(await fetch(`${zoo.url}/crowd`))
      return open?.admitted === 1
    })
    await buy(zoo, 'aquarium', { visitor: 'bob' })
    zoo.program.signal('SIGTERM')
    // Connections that nobody ends would be cut off after five seconds.
    const late = new Promise((resolve) => setTimeout(resolve, 4000, 'late').unref())
    expect(await Promise.race([zoo.program.ended(), late])).toBe(0)
    expect((await visit).status).toBe(201)
    expect(await page.text()).toContain('"event":"hello"')
    expect(zoo.program.stderr).toBe('')
  },
)

test('a second Ctrl-C ends the zoo at once', async () => {
  const zoo = await startZoo()
  await beginToBuy(zoo)
  zoo.program.signal('SIGINT')
  await until('refused connection', () => refusesConnections(zoo))
  zoo.program.signal('SIGINT')
  expect(await zoo.program.ended()).toBe(130)
})
