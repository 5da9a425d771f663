import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from '@jest/globals'
import { EndpointClient, type OpenRun } from '../../src/crowd/endpoint-client.ts'

let server: Server | undefined
let client: EndpointClient | undefined

afterEach(async () => {
  client?.close()
  server?.close()
  server?.closeAllConnections()
})

async function clientOf(listener: RequestListener): Promise<{ client: EndpointClient; origin: string }> {
  server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  const origin = `http://127.0.0.1:${port}`
  client = new EndpointClient(new URL(`${origin}/`))
  return { client, origin }
}

function answering(status: number, body: unknown): RequestListener {
  return (_request, response) =>
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))
}

const order = { title: 'a', policies: {} }
const noEndpoint = 'ORIGIN does not answer like a load-test endpoint'

// biome-ignore format: a table
it.each([
  // status  body                                               what is said
  [404,      { detail: 'There is nothing here.' },              'ORIGIN has no load-test endpoint: is it a zoo without --no-crowd?'],
  [403,      { detail: 'This machine only.' },                  'ORIGIN refuses the crowd (403): This machine only.'],
  [400,      { detail: 'policies.a.limit: expected 1 or more.' }, 'ORIGIN refuses the crowd (400): policies.a.limit: expected 1 or more.'],
  [409,      { detail: 'Run a\u001b[2J\nis open.' },             'ORIGIN refuses the crowd (409): Run a%1B[2J%0Ais open.'],
  [500,      'broken\nin two lines',                            'ORIGIN refuses the crowd (500): "broken\\nin two lines"'],
  [200,      '<!doctype html>',                                 'ORIGIN refuses the crowd (200): "<!doctype html>"'],
  [201,      '<!doctype html>',                                 noEndpoint],
  [201,      [],                                                noEndpoint],
  [201,      { run: 'a', tickets: 'http://192.0.2.1/' },        noEndpoint],
  [201,      { run: 'a', tickets: '//192.0.2.1/' },             noEndpoint],
  [201,      { run: 'a', tickets: 'http://' },                  noEndpoint],
])('says why no run begins: %d %j', async (status, body, said) => {
  const { client, origin } = await clientOf(answering(status, body))
  await expect(client.open(order)).rejects.toThrow(said.replace('ORIGIN', origin))
})

/** A run whose tickets are sold by that listener. */
async function openedBy(listener: RequestListener): Promise<{ client: EndpointClient; run: OpenRun }> {
  const { client } = await clientOf((request, response) => {
    if (request.url === '/crowd') answering(201, { run: 'a', tickets: '/crowd/a/tickets' })(request, response)
    else listener(request, response)
  })
  return { client, run: await client.open(order) }
}

// biome-ignore format: a table
it.each([
  // status  body                             answer
  [201,      { askedUs: 1, answeredUs: 2 },   { kind: 'admitted', askedUs: 1, answeredUs: 2 }],
  [429,      {},                              { kind: 'refused' }],
  [503,      {},                              { kind: 'odd', why: 'status 503' }],
  [201,      {},                              { kind: 'odd', why: 'a ticket without its times' }],
  [201,      'null',                          { kind: 'odd', why: 'a ticket without its times' }],
])('reports to one client what it heard: %d %j', async (status, body, answer) => {
  const { client, run } = await openedBy(answering(status, body))
  expect(await client.ask(run, 'ann')).toEqual(answer)
})

it('names the client, and asks where the endpoint says', async () => {
  const asked: unknown[] = []
  const { client, run } = await openedBy(({ method, url, headers }, response) => {
    asked.push([method, url, headers['x-visitor']])
    response.writeHead(429).end()
  })
  await client.ask(run, 'ann')
  await client.end(run)
  expect(asked).toEqual([
    ['POST', '/crowd/a/tickets', 'ann'],
    ['DELETE', '/crowd/a', undefined],
  ])
})

it('counts a connection that ends as no answer', async () => {
  const { client, run } = await openedBy((request) => request.socket.destroy())
  expect(await client.ask(run, 'ann')).toEqual({ kind: 'none', why: 'ECONNRESET' })
})
