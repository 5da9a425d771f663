import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { socket } from '@sluice/faults/redis-socket'
import { createLimiter, fixedWindow, redisStore } from '../../src/index.ts'
import { silent } from '../cluster/application.ts'
import { eventually } from './within.ts'

/** Of the same length as what it replaces in an answer to INFO. */
const guess = 'loading:1\r\nloading_eta_seconds:3600\r\n'

/** A real server that, the first time it is asked, says that it loads, and will for an hour. */
let lies = 0
const server = createServer((client) => {
  const real = connect(socket)
  for (const end of [client, real]) end.on('error', () => {})
  client.pipe(real)
  real.on('data', (bytes) => {
    const said = String(bytes)
    const at = said.indexOf('loading:0')
    if (at < 0 || lies > 0) client.write(bytes)
    else client.write(said.slice(0, at) + guess + said.slice(at + guess.length))
    if (at >= 0) lies++
  })
  client.on('close', () => real.destroy())
})
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => void server.close())

it('a server that has loaded its data is used soon, however long it thought that would take', async () => {
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const store = redisStore(`redis://127.0.0.1:${port}`, { connectDeadline: '1ms' })
  const limiter = createLimiter({ store, policy: fixedWindow({ limit: 3, window: '1h' }), logger: silent })
  const source = async () => (await limiter.check(randomBytes(6).toString('hex'))).source
  expect(await source()).toBe('fallback')
  await eventually(() => lies > 0)
  await eventually(async () => (await source()) === 'redis')
  await limiter.close()
  await store.close()
})
