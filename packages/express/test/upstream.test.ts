import { once } from 'node:events'
import { request as ask, createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from '@jest/globals'
import { fixedWindow } from '@sluice/core'
import { mergeUpstream } from '@sluice/http'
import express, { type Request, type Response } from 'express'
import { rateLimit } from '../src/index.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

async function portOf(server: Server): Promise<number> {
  servers.push(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port // of a TCP server
}

/** Passes a request on and copies the answer's headers one by one, as http-proxy does. */
function passOn(port: number, req: Request, res: Response): void {
  const passed = ask({ port, path: req.url, headers: { connection: 'close' } }, (answer) => {
    mergeUpstream(req, answer.headers)
    for (const [name, value] of Object.entries(answer.headers))
      if (value !== undefined) res.setHeader(name, value)
    res.writeHead(answer.statusCode ?? 500)
    answer.pipe(res)
  })
  passed.end()
}

it.each([
  [9, ['3', '2']],
  [1, ['9', '1']],
])(
  'a server that passes requests on sends the fields of the limit with less left: %i there',
  async (left, expected) => {
    const upstream = createServer((_, res) => {
      res.setHeader('X-RateLimit-Limit', '9').setHeader('X-RateLimit-Remaining', String(left))
      res.setHeader('X-RateLimit-Reset', '60').end('from behind')
    })
    const port = await portOf(upstream)
    const app = express()
    app.use(rateLimit({ policy: fixedWindow({ limit: 3, window: '1d' }) }))
    app.use((req, res) => passOn(port, req, res))
    const response = await fetch(`http://127.0.0.1:${await portOf(createServer(app))}/`)
    expect(await response.text()).toBe('from behind')
    expect(['limit', 'remaining'].map((each) => response.headers.get(`x-ratelimit-${each}`))).toEqual(
      expected,
    )
  },
)
