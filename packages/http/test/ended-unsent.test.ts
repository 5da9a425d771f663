import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, expect, it } from '@jest/globals'
import { concurrency, memoryStore } from '@sluice/core'
import { manualClock } from '@sluice/testing'
import { guardRequest } from '../src/guard-request.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function until(holds: () => unknown) {
  while (!(await holds())) await setImmediate()
}

/** Two requests on one connection, which breaks before either of them is answered: `broken` is called once Node knows. */
async function hangUp(
  begin: (response: ServerResponse) => void,
  broken: (responses: readonly ServerResponse[]) => void = () => {},
) {
  const clock = manualClock()
  const guard = guardRequest<IncomingMessage, 'default'>({
    policy: concurrency({ limit: 2 }),
    store: memoryStore({ clock }),
    key: () => 'bob',
  })
  const responses: ServerResponse[] = []
  const server = createServer(async (request, response) => {
    if (!(await guard(request, response))) return
    begin(response)
    responses.push(response)
  })
  server.on('connection', (socket) => socket.once('close', () => broken(responses)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => new Promise((resolve) => server.close(resolve)))
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1') // it listens
  socket.write('GET / HTTP/1.1\r\nHost: zoo\r\n\r\n'.repeat(2))
  await until(() => responses.length === 2)
  socket.destroy()
  await until(() => responses.every(({ destroyed, req }) => destroyed || req.socket.destroyed))
  return { clock, responses, left: async () => (await guard.limiter.peek('bob')).remaining }
}

describe('an answer without a socket whose head is sent once its client has gone', () => {
  it.each([
    ['waits behind another one', () => {}],
    ['has lost its socket', (response: ServerResponse) => void response.detachSocket(response.req.socket)],
  ])('does not make Node throw where it %s', async (_, begin) => {
    const { responses, left } = await hangUp((response) => {
      if (response.socket !== null) begin(response)
    })
    let finished = 0
    for (const response of responses.reverse()) {
      // At this event Node's server takes the response off its connection, and throws where another one is there.
      response.prependListener('finish', () => {
        if (response.socket !== response.req.socket) finished++
      })
      response.writeHead(204).flushHeaders()
      response.end()
    }
    await until(async () => (await left()) === 2)
    await setImmediate()
    expect(finished).toBe(0)
  })
})

it('a connection that is destroyed without `close`, as Node does with one that is reset while it ends, keeps no place', async () => {
  const { clock, left } = await hangUp(({ req: { socket } }) => {
    const emit = socket.emit.bind(socket)
    socket.emit = (event: string, ...given: [unknown?]) => event !== 'close' && emit(event, ...given)
  })
  await clock.advance('1m')
  expect(await left()).toBe(2)
})

it('an answer that Node destroys while it waits behind another one, as from version 24 on, keeps its place for its lease', async () => {
  const destroyed: ServerResponse[] = []
  const { clock, left } = await hangUp(
    () => {},
    (responses) => {
      for (const each of responses) {
        if (each.socket !== null) continue
        // Node 24 has done so.
        if (!each.destroyed) each.destroy()
        destroyed.push(each)
      }
    },
  )
  await until(() => destroyed.length === 1)
  await setImmediate()
  expect(await left()).toBe(0)
  await clock.advance('1m')
  expect(await left()).toBe(2)
})

it('an answer that its handler destroys in the turn in which the one in front destroys their connection gives its place back', async () => {
  const begun: ServerResponse[] = []
  const { left } = await hangUp((response) => {
    if (begun.push(response) === 2) for (const each of begun) each.destroy()
  })
  for (let i = 0; i < 1000 && (await left()) < 2; i++) await setImmediate()
  expect(await left()).toBe(2)
})
