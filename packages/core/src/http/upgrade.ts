import { type IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { optionError } from '../errors.ts'
import type { Subject } from '../limiter/limiter.ts'
import { isRefusedError } from '../refused-error.ts'
import { canonicalAddress } from './address.ts'
import { compileAddressList } from './cidr.ts'
import { createGate } from './gate.ts'
import type { AnyOptions, RateLimitOptions } from './options.ts'
import type { Refusal, RequestFacts } from './view.ts'

/** There is no framework behind an upgrade: the proxies that may name the client are named here. */
export interface UpgradeOptions {
  /** Addresses and CIDR of proxies whose X-Forwarded-For is believed. @default none */
  trustProxy?: readonly string[] | undefined
}

/** Longest X-Forwarded-For that is read: a chain of proxies is short. */
const longestChain = 2048

/** The client: from the nearest hop on, past every trusted proxy; what a client itself has written is never reached. */
function clientAddress(request: IncomingMessage, trusted: (address: string) => boolean): string | undefined {
  let address = canonicalAddress(request.socket.remoteAddress)
  const header = request.headers['x-forwarded-for']
  const chain = typeof header === 'string' && header.length <= longestChain ? header.split(',') : []
  for (let i = chain.length - 1; i >= 0 && address !== undefined && trusted(address); i--) {
    const next = canonicalAddress(chain[i])
    if (next === undefined) return address
    address = next
  }
  return address
}

function readTrusted(list: unknown): (address: string) => boolean {
  if (list === undefined) return () => false
  if (!Array.isArray(list)) throw optionError('trustProxy', 'a list of addresses and CIDR', list)
  return compileAddressList(list, (index, expected, got) => {
    throw optionError(`trustProxy[${index}]`, expected, got)
  })
}

function writeRefusal(
  socket: Duplex,
  { status, type, body }: Refusal,
  headers: Iterable<readonly [string, string]>,
): void {
  if (!socket.writable) return
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Connection: close',
    `Content-Type: ${type}`,
  ]
  for (const [name, value] of headers) lines.push(`${name}: ${value}`)
  lines.push(`Content-Length: ${Buffer.byteLength(body)}`)
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
}

/**
 * For `server.on('upgrade')`, where no framework runs. false: the refusal was written and the socket ended.
 *
 * @example
 * const guard = guardUpgrade({ policy: gcra({ count: 10, period: '1m' }) })
 * server.on('upgrade', async (request, socket, head) => {
 *   if (await guard(request, socket)) sockets.handleUpgrade(request, socket, head, …)
 * })
 */
export function guardUpgrade<Req extends IncomingMessage, N extends string = 'default', S = Subject<N>>(
  options: RateLimitOptions<Req, N, S> & UpgradeOptions,
): (request: Req, socket: Duplex) => Promise<boolean> {
  const gate = createGate<Req>(options as unknown as AnyOptions<Req>, ['trustProxy']) // names are checked at run time
  const trusted = readTrusted(options.trustProxy)
  const trust = options.trustProxy === undefined ? 'none' : 'some'

  return async function guard(request, socket) {
    const facts: RequestFacts = {
      method: request.method ?? 'GET',
      route: undefined,
      ip: clientAddress(request, trusted),
      trust,
      headers: request.headers,
    }
    // Never sent: only its fields are read.
    const raw = new ServerResponse(request)
    try {
      const { refusal } = await gate.handle({ request, facts, fields: raw, raw })
      if (refusal === null) return true
      writeRefusal(socket, refusal, writtenFields(raw))
    } catch (error) {
      if (!isRefusedError(error)) throw error
      writeRefusal(
        socket,
        { status: error.status, type: 'text/plain; charset=utf-8', body: error.message },
        writtenFields(raw),
      )
    }
    return false
  }
}

function* writtenFields(raw: ServerResponse): Generator<readonly [string, string]> {
  for (const name of raw.getHeaderNames()) yield [name, String(raw.getHeader(name))]
}
