import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { type Served, served } from '../served.ts'

const limits = 'schema: { user: { children: { "*": { limits: [50, 100, 60] } } } }'
let service: Served
beforeAll(async () => {
  service = await served(limits, { http: { port: 0 } })
})
afterAll(() => service.end())

/** Seconds until the server ends a connection over which `drip` comes again and again, behind `start`. */
function overHttp(start: string, drip: string): Promise<number> {
  const socket = connect(service.server.http?.port ?? 0, '127.0.0.1')
  const began = performance.now()
  return new Promise((resolve) => {
    const dripping = setInterval(() => socket.write(drip), 300)
    socket.on('error', () => {}).resume()
    socket.on('close', () => {
      clearInterval(dripping)
      resolve((performance.now() - began) / 1000)
    })
    socket.write(start)
  })
}

/** Seconds until the server has answered a call over gRPC, of whose message a byte comes again and again. */
function overGrpc(path: string): Promise<number> {
  const session = connectHttp2(`http://127.0.0.1:${service.server.grpc?.port}`)
  session.on('error', () => {})
  const began = performance.now()
  const call = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
  })
  return new Promise((resolve) => {
    const message = Buffer.alloc(1005)
    message.writeUInt32BE(1000, 1)
    let at = 0
    const dripping = setInterval(() => {
      if (call.writable) call.write(message.subarray(at, ++at))
    }, 300)
    call.on('error', () => {}).resume()
    call.on('end', () => {
      clearInterval(dripping)
      session.destroy()
      resolve((performance.now() - began) / 1000)
    })
  })
}

const post = 'POST /check HTTP/1.1\r\nHost: a\r\n'
const whole = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'

it('a request that has not come whole within ten seconds is cut off, whatever of it is slow', async () => {
  const seconds = await Promise.all([
    overHttp('', ''),
    overHttp('POST /check HTTP/1.1\r\n', 'X-A: a\r\n'),
    overHttp(`${post}Content-Length: 1000\r\n\r\n`, ' '),
    overHttp(`${post}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n'),
    overHttp(`GET /auth HTTP/1.1\r\nHost: a\r\nX-Limit-User: a\r\nContent-Length: 1000\r\n\r\n`, ' '),
    // On a connection that has been used.
    overHttp(`${whole}${post}`, 'X-A: a\r\n'),
    overGrpc('/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit'),
    overGrpc('/grpc.health.v1.Health/Check'),
    overGrpc('/grpc.health.v1.Health/Watch'),
  ])
  for (const each of seconds) {
    expect(each).toBeGreaterThan(9.9)
    expect(each).toBeLessThan(12)
  }
})
