import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Readable } from 'node:stream'
import { describe, expect, it } from '@jest/globals'
import { concurrency, createLimiter } from '@sluice/core'
import compression from 'compression'
import express, { type Response } from 'express'
import { rateLimit } from '../src/index.ts'

/** More than a connection holds, also compressed. */
const large = randomBytes(20_000_000).toString('base64')

const handlers: readonly (readonly [string, (res: Response) => void])[] = [
  ['sent in one piece', (res) => void res.type('text').send(large)],
  [
    'written in two pieces',
    (res) => {
      res.type('text').write(large)
      res.end('the end')
    },
  ],
  ['that is piped', (res) => void Readable.from([large, 'the end']).pipe(res.type('text'))],
]

describe.each(handlers)('an answer that is compressed, %s', (_, handle) => {
  it.each([
    ['is reset', (socket: ReturnType<typeof connect>) => void socket.resetAndDestroy()],
    ['is closed', (socket: ReturnType<typeof connect>) => void socket.destroy()],
  ])('frees its place when its connection %s in the middle of it', async (_how, leave) => {
    const limiter = createLimiter({ policy: concurrency({ limit: 1, lease: '1h' }) })
    const app = express()
    app.use(compression())
    app.use(rateLimit({ limiter, key: () => 'k' }))
    const over: Promise<unknown>[] = []
    app.get('/', (_req, res) => {
      over.push(once(res, 'close'))
      handle(res)
    })
    const server = createServer(app).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nhost: zoo\r\naccept-encoding: gzip\r\n\r\n')
    await once(socket, 'readable')
    expect((await limiter.peek('k')).allowed).toBe(false)
    leave(socket)
    await Promise.all(over)
    expect((await limiter.peek('k')).allowed).toBe(true)
    server.close()
    await limiter.close()
  })
})
