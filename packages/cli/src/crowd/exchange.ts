import { type Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'

export interface Sent {
  readonly method: string
  readonly agent: Agent
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Received {
  readonly status: number
  readonly body: string
}

/** Longer than the longest `visitMs`. */
const timeoutMs = 20_000

/** Rejects if no complete answer comes. */
export function exchange(url: URL, { method, agent, headers = {}, body = '' }: Sent): Promise<Received> {
  return new Promise((resolve, reject) => {
    const length = { 'Content-Length': String(Buffer.byteLength(body)) }
    const asked = request(url, { method, agent, headers: { ...headers, ...length }, timeout: timeoutMs })
    asked.on('timeout', () => asked.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)))
    asked.on('error', reject)
    asked.on('response', (response) => {
      text(response).then((read) => resolve({ status: response.statusCode ?? 0, body: read }), reject)
    })
    asked.end(body)
  })
}
