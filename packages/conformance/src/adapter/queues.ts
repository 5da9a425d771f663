import { expect } from '@jest/globals'
import {
  acceptJob,
  type Handed,
  type HttpAnswer,
  memoryQueue,
  type TicketStatusOptions,
  ticketStatus,
} from '@sluice/queue'
import type { Client, Reply } from './client.ts'
import type { Scenario } from './scenario.ts'
import type { Exchange, Handler } from './site.ts'
import type { World } from './world.ts'

const statusPath = (ticket: string) => `/status?ticket=${ticket}`

function give({ set, send }: Exchange, { status, headers, body }: HttpAnswer): void {
  for (const [name, value] of headers) set(name, value)
  send(status, body)
}

function queryOf({ raw }: Exchange, name: string): string {
  return new URL(raw.req.url ?? '', 'http://here').searchParams.get(name) ?? ''
}

type Queue = Parameters<typeof acceptJob<string>>[0] & Parameters<typeof ticketStatus>[0]

/** A site that takes orders into a queue, and shows how its tickets stand. */
function officeOf(world: World, queue: Queue, options?: TicketStatusOptions): Promise<Client> {
  const accept: Handler = async (exchange) =>
    give(exchange, await acceptJob(queue, queryOf(exchange, 'order'), { statusPath }))
  const status: Handler = async (exchange) =>
    give(exchange, await ticketStatus(queue, queryOf(exchange, 'ticket'), options))
  return world.open({
    routes: [
      { path: '/orders', handler: accept },
      { path: '/status', handler: status },
    ],
  })
}

function openQueue(world: World) {
  const logger = { warn: () => {}, error: () => {} }
  const { clock } = world
  const queue = memoryQueue<string, unknown>({ name: 'orders', limit: 2, maxJobBytes: 20, clock, logger })
  const member = queue.jobs.join({ idleClaimMs: 30_000, maxAttempts: 1 })
  async function take(): Promise<Handed<string>> {
    const [handed] = await member.take(1, new AbortController().signal)
    if (handed === undefined) throw new Error('took nothing')
    return handed
  }
  return { queue, member, take }
}

const order = (client: Client, what: string) => client.send({ method: 'POST', path: `/orders?order=${what}` })

function contentOf({ status, headers, body }: Reply): unknown {
  expect(headers['cache-control']).toBe('no-store')
  return [status, headers['retry-after'], JSON.parse(body)]
}

const typeOf = ({ headers }: Reply) => headers['content-type']?.split(';')[0]

async function followsATicket(world: World): Promise<void> {
  const { queue, member, take } = openQueue(world)
  const client = await officeOf(world, queue)
  const accepted = await order(client, 'tea')
  const { ticket } = JSON.parse(accepted.body)
  expect(contentOf(accepted)).toEqual([202, undefined, { ticket, position: 1, waitMs: null }])
  const path = statusPath(ticket)
  expect(accepted.headers.location).toBe(path)
  expect(typeOf(accepted)).toBe('application/json')

  const waiting = await client.send({ path })
  expect(contentOf(waiting)).toEqual([200, '1', { state: 'waiting', position: 1, waitMs: null }])
  const handed = await take()
  expect(contentOf(await client.send({ path }))).toEqual([200, '1', { state: 'running', attempt: 1 }])
  await member.finish(handed, { state: 'done', result: { cup: 7 }, workMs: 5000 })
  expect(contentOf(await client.send({ path }))).toEqual([
    200,
    undefined,
    { state: 'done', result: { cup: 7 } },
  ])
}

/** A job that failed is an answer like any other: the server did what it was asked. */
async function reportsAFailure(world: World): Promise<void> {
  const { queue, member, take } = openQueue(world)
  const client = await officeOf(world, queue)
  const { headers } = await order(client, 'tea')
  await member.finish(await take(), {
    state: 'failed',
    error: 'redis://root:tea@10.0.0.7 is away',
    workMs: 5000,
  })
  const reply = await client.send({ path: headers.location ?? '' })
  const error = 'The work on this job has failed.'
  expect(contentOf(reply)).toEqual([
    200,
    undefined,
    { state: 'failed', code: 'SLUICE_QUEUE_JOB_FAILED', error },
  ])
}

/** What the mapping answers, and the fixed sentence where it answers no text. */
async function mapsErrors(world: World): Promise<void> {
  const { queue, member, take } = openQueue(world)
  const tellError = (error: string) => {
    if (error === 'broken') throw new Error('the mapping is broken')
    return error === 'sold out' ? 'There is no tea left.' : undefined
  }
  const client = await officeOf(world, queue, { tellError })
  const errors: unknown[] = []
  for (const error of ['sold out', 'spilled', 'broken']) {
    const { headers } = await order(client, 'tea')
    await member.finish(await take(), { state: 'failed', error, workMs: 5000 })
    const { body } = await client.send({ path: headers.location ?? '' })
    errors.push(JSON.parse(body).error)
  }
  const fixed = 'The work on this job has failed.'
  expect(errors).toEqual(['There is no tea left.', fixed, fixed])
}

/** Half of the wait, one second at least and ten at most. */
async function advisesPolling(world: World): Promise<void> {
  const { queue, member, take } = openQueue(world)
  const client = await officeOf(world, queue)
  for (const workMs of [5000, 90_000]) {
    await queue.offer('tea')
    await member.finish(await take(), { state: 'done', result: null, workMs })
  }
  // Means of 5 s, then a sixteenth of the way to 90.
  const { headers, body } = await order(client, 'tea')
  expect(JSON.parse(body).waitMs).toBe(10_313)
  const first = await client.send({ path: headers.location ?? '' })
  expect(first.headers['retry-after']).toBe('6')
  const second = await order(client, 'tea')
  const last = await client.send({ path: second.headers.location ?? '' })
  expect(last.headers['retry-after']).toBe('10')
}

async function refuses(world: World): Promise<void> {
  const { queue } = openQueue(world)
  const client = await officeOf(world, queue)
  const large = await order(client, 'a-large-pot-of-tea-for-all')
  const tooLarge = { title: 'Payload Too Large', status: 413, reason: 'too-large' }
  const detail = 'This job is larger than the queue accepts.'
  expect(contentOf(large)).toEqual([413, undefined, { type: 'about:blank', ...tooLarge, detail }])
  for (let i = 0; i < 2; i++) expect((await order(client, 'tea')).status).toBe(202)
  const replies = [await order(client, 'tea'), await order(client, 'tea'), await order(client, 'tea')]
  const full = { type: 'about:blank', title: 'Too Many Requests', status: 429, reason: 'full' }
  expect(replies.map(contentOf)).toEqual([
    [429, '1', { ...full, detail: 'The queue is full: try again in 1 second.', retryAfter: 1 }],
    [429, '2', { ...full, detail: 'The queue is full: try again in 2 seconds.', retryAfter: 2 }],
    [429, '2', { ...full, detail: 'The queue is full: try again in 2 seconds.', retryAfter: 2 }],
  ])
  for (const reply of [large, ...replies]) expect(typeOf(reply)).toBe('application/problem+json')
}

async function knowsNoTicket(world: World): Promise<void> {
  const client = await officeOf(world, openQueue(world).queue)
  const unknown = { type: 'about:blank', title: 'Not Found', status: 404 }
  const detail = 'This ticket is unknown, or its result has expired.'
  for (const ticket of ['', 'A'.repeat(22), '%00', '__proto__']) {
    const reply = await client.send({ path: statusPath(ticket) })
    expect(contentOf(reply)).toEqual([404, undefined, { ...unknown, detail }])
  }
}

async function isOutOfReach(world: World): Promise<void> {
  const gone = Object.assign(new Error('gone'), { code: 'SLUICE_STORE' })
  const away: Queue = {
    offer: async () => ({ allowed: false, reason: 'store-unavailable', retryAfterMs: null }),
    status: () => Promise.reject(gone),
  }
  const client = await officeOf(world, away)
  const problem = { type: 'about:blank', title: 'Service Unavailable', status: 503 }
  const detail = 'The queue cannot be reached now: try again in 1 second.'
  const expected = [503, '1', { ...problem, detail, reason: 'store-unavailable', retryAfter: 1 }]
  expect(contentOf(await order(client, 'tea'))).toEqual(expected)
  expect(contentOf(await client.send({ path: statusPath('any') }))).toEqual(expected)
}

/** Work that is accepted now and done later, as plain answers that any framework can give. */
export const queues: readonly Scenario[] = [
  { title: 'a queue: 202, then how the ticket stands until it is done', run: followsATicket },
  { title: 'a queue: a failed job is reported with 200, and not what its work threw', run: reportsAFailure },
  { title: 'a queue: what clients see of a failed job can be mapped', run: mapsErrors },
  { title: 'a queue: when to ask again', run: advisesPolling },
  { title: 'a queue: 413 for a large job, 429 with successive places when full', run: refuses },
  { title: 'a queue: 404 for a ticket that it does not know', run: knowsNoTicket },
  { title: 'a queue: 503 while it is out of reach', run: isOutOfReach },
]
