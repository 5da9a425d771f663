import { createServer } from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { concurrency, createLimiter } from '@sluice/core'
import { rateLimit } from '../src/next.ts'

const closing: (() => unknown)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

test('a route of Next.js leaves its place when its connection ends, also where it waits behind an unanswered request', async () => {
  const limiter = createLimiter({
    policy: concurrency({ limit: 3, lease: '1h' }),
    logger: { warn() {}, error() {} },
  })
  let calls = 0
  let reached = () => {}
  const all = new Promise<void>((resolve) => {
    reached = resolve
  })
  const handler = rateLimit({ limiter, key: () => 'bob', ip: () => undefined })(() => {
    if (++calls === 3) reached()
    return new Response(new ReadableStream({ pull: () => new Promise(() => {}) })) // events that never come
  })
  // As Next.js calls it: with nothing of Node.
  const server = createServer(async () => {
    const response = await handler(new Request('http://zoo/'))
    await response.body?.getReader().read()
  }).listen(0, '127.0.0.1')
  closing.push(() => server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const client = net.connect((server.address() as AddressInfo).port, '127.0.0.1') // it listens on a port
  client.write('GET / HTTP/1.1\r\nHost: zoo\r\n\r\n'.repeat(3))
  await all
  expect((await limiter.peek('bob')).remaining).toBe(0)
  client.destroy()
  let { remaining } = await limiter.peek('bob')
  for (let turns = 0; remaining < 3 && turns < 10_000; turns++) {
    await new Promise((resolve) => setImmediate(resolve))
    remaining = (await limiter.peek('bob')).remaining
  }
  expect(remaining).toBe(3)
})
