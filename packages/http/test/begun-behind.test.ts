import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { expect, it } from '@jest/globals'
import { concurrency, createLimiter, memoryStore } from '@sluice/core'
import { guardRequest } from '../src/guard-request.ts'

it('an answer that has begun behind another one, and is ended without its client, leaves its place', async () => {
  const logger = { warn: () => {}, error: () => {} }
  const limiter = createLimiter({ policy: concurrency({ limit: 1 }), store: memoryStore(), logger })
  const guard = guardRequest<IncomingMessage, 'default'>({ limiter, key: () => 'bob' })
  let reached = (_response: ServerResponse) => {}
  const begun = new Promise<ServerResponse>((resolve) => {
    reached = resolve
  })
  const server = createServer(async (request, response) => {
    // Nobody answers the first one.
    if (request.url === '/1' || !(await guard(request, response))) return
    response.write('first')
    reached(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1') // it listens
  client.write('GET /1 HTTP/1.1\r\nHost: zoo\r\n\r\nGET /2 HTTP/1.1\r\nHost: zoo\r\n\r\n')
  const response = await begun
  const closed = once(response, 'close')
  client.destroy()
  await closed
  expect((await limiter.peek('bob')).remaining).toBe(0)
  response.end('last')
  for (let i = 0; i < 100; i++) await setImmediate()
  expect((await limiter.peek('bob')).remaining).toBe(1)
  await new Promise((resolve) => server.close(resolve))
})
