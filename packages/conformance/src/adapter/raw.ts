import net from 'node:net'
import type { Client } from './client.ts'

/** A request as it goes over the wire: nothing of it is tidied. */
export interface RawRequest {
  readonly method?: string
  readonly target?: string
  readonly by?: string
  readonly fields?: readonly string[]
  /** What becomes of the connection. @default 'close' */
  readonly connection?: string
}

export function rawRequest({
  method = 'GET',
  target = '/tickets',
  by = 'bob',
  fields = [],
  connection = 'close',
}: RawRequest = {}): string {
  const lines = [`${method} ${target} HTTP/1.1`, 'Host: zoo', `X-Key: ${by}`, `Connection: ${connection}`]
  return `${[...lines, ...fields].join('\r\n')}\r\n\r\n`
}

export function upgradeRequest(request: RawRequest = {}): string {
  const fields = ['Upgrade: websocket', ...(request.fields ?? [])]
  return rawRequest({ ...request, fields, connection: 'Upgrade' })
}

/** Bytes sent on a connection of its own, a character each, and all that comes back until it ends. */
export function exchange(client: Client, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(client.target)
    let received = ''
    socket.setEncoding('latin1')
    socket.on('data', (data: string) => {
      received += data
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(received))
    socket.write(text, 'latin1')
  })
}

/** Status and fields of an answer, as they came. */
export interface Head {
  readonly status: number
  readonly fields: Readonly<Record<string, string>>
}

/** The answers in what a connection has received, in their order. */
export function headsOf(received: string): readonly Head[] {
  const heads = received.matchAll(/HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n((?:[^\r\n]+\r\n)*)\r\n/g)
  return [...heads].map(([, status, lines = '']) => ({ status: Number(status), fields: fieldsIn(lines) }))
}

function fieldsIn(lines: string): Head['fields'] {
  const pairs = lines.split('\r\n').filter((line) => line !== '')
  return Object.fromEntries(pairs.map((line) => [nameOf(line), line.slice(line.indexOf(':') + 2)]))
}

function nameOf(line: string): string {
  return line.slice(0, line.indexOf(':')).toLowerCase()
}
