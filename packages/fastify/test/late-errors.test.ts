import { get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from '@jest/globals'
import { fixedWindow } from '@sluice/core'
import Fastify from 'fastify'
import { rateLimit } from '../src/index.ts'

/** More than a socket takes at once. */
const length = 20_000_000

it('an error that comes after a whole answer does not cut it', async () => {
  let fail = (_: Error) => {}
  const app = Fastify()
  app.addHook('onRequest', (_request, reply, done) => {
    done()
    // As a timeout does while the key is awaited.
    reply.raw.once('prefinish', () => fail(new Error('late')))
    reply.code(503).send(Buffer.alloc(length))
  })
  const key = () =>
    new Promise<string>((_, reject) => {
      fail = reject
    })
  await app.register(rateLimit, { policy: fixedWindow({ limit: 10, window: '1h' }), key })
  app.get('/', async () => 'hello')
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo // it listens on a port

  const got = await new Promise((resolve) => {
    get({ port, host: '127.0.0.1', agent: false }, (response) => {
      let bytes = 0
      response.on('data', (data: Buffer) => {
        bytes += data.length
      })
      response.on('close', () => resolve([response.statusCode, bytes]))
      response.on('error', () => {})
    })
  })
  expect(got).toEqual([503, length])
  await app.close()
})

it('a refusal that comes after an answer says nothing', async () => {
  const logged: string[] = []
  const app = Fastify({ logger: { level: 'warn', stream: { write: (line) => void logged.push(line) } } })
  let found = (_: string) => {}
  app.addHook('onRequest', (_request, reply, done) => {
    done()
    // As `handlerTimeout` does while the key is awaited.
    reply.raw.once('finish', () => found('bob'))
    reply.code(503).send('late')
  })
  const key = () =>
    new Promise<string>((resolve) => {
      found = resolve
    })
  const refused = new Promise<void>((resolve) => {
    const observers = [{ decided: () => void setImmediate(resolve) }]
    app.register(rateLimit, { policy: fixedWindow({ limit: 0, window: '1h' }), key, observers })
  })
  app.get('/', async () => 'hello')
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const response = await fetch(url)
  expect([response.status, await response.text()]).toEqual([503, 'late'])
  await refused
  expect(logged).toEqual([])
  await app.close()
})
