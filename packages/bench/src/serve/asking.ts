import { Agent, request } from 'node:http'
import { Client, credentials } from '@grpc/grpc-js'
import { Helper } from '../helper.ts'
import type { ServerDuties } from './child.ts'

/** How many requests are under way at once. */
export const inFlight = 64

/** A server in a process of its own, and a request to it. */
export interface Asked {
  readonly name: string
  readonly server: Helper<ServerDuties>
  readonly ask: () => Promise<void>
}

function text(field: number, value: string | Buffer): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([Buffer.from([(field << 3) | 2, bytes.length]), bytes])
}

/** domain shop, one descriptor user=alex */
const question = Buffer.concat([
  text(1, 'shop'),
  text(2, text(1, Buffer.concat([text(1, 'user'), text(2, 'alex')]))),
])

function overGrpc(port: number): () => Promise<void> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure())
  const same = (bytes: Buffer) => bytes
  const method = '/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit'
  return () =>
    new Promise((resolve, reject) => {
      client.makeUnaryRequest(method, same, same, question, (error, answer) => {
        // overall_code is the first field, and OK is 1.
        if (error !== null) reject(error)
        else if (answer?.[1] !== 1) reject(new Error('not allowed'))
        else resolve()
      })
    })
}

function overHttp(port: number, method: string, url: string, body: string): () => Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight })
  return () =>
    new Promise((resolve, reject) => {
      const sent = request({ agent, host: '127.0.0.1', port, method, path: url }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`))
        response.resume().on('end', resolve)
      })
      sent.on('error', reject).end(body)
    })
}

const asks: { readonly [kind: string]: (port: number) => () => Promise<void> } = {
  middleware: (port) => overHttp(port, 'GET', '/', ''),
  http: (port) => overHttp(port, 'POST', '/check', '{"path":["shop","user","alex"]}'),
  grpc: overGrpc,
}

export async function open(name: string): Promise<Asked> {
  const server = new Helper<ServerDuties>('serve/child.ts', [name])
  const ask = asks[name]?.(await server.ask('port', undefined))
  if (ask === undefined) throw new Error(`no way to ask ${name}`)
  return { name, server, ask }
}
