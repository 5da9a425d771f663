import { once } from 'node:events'
import { createServer, type OutgoingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { fixedWindow, type Policy } from '@sluice/core'

/** Options of the limiter in front. */
export interface FrontOptions {
  readonly name: string
  readonly policy: Policy
  readonly headers?: { readonly x: false; readonly draft: true }
}

/** Starts a server that limits, and passes what it allows to a port of this machine; what `close` does ends it. */
export type StartFront = (
  port: number,
  options: FrontOptions,
) => Promise<{ readonly port: number; close(): unknown }>

export async function portOf(server: Server): Promise<number> {
  if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port // of a TCP server
}

const x = (limit: number, left: number) => ({
  'X-RateLimit-Limit': String(limit),
  'X-RateLimit-Remaining': String(left),
  'X-RateLimit-Reset': '60',
})
const items = { 'RateLimit-Policy': '"back";q=9;w=60', RateLimit: '"back";r=1;t=60' }
const draft = { x: false, draft: true } as const

interface Row {
  readonly title: string
  /** Of the limiter in front; one request is used. */
  readonly limit: number
  readonly headers?: FrontOptions['headers']
  readonly upstream: OutgoingHttpHeaders
  readonly status?: number
  readonly expected: Readonly<Record<string, string | null>>
}

const rows: readonly Row[] = [
  {
    title: 'more left behind it: its own fields',
    limit: 3,
    upstream: x(9, 3),
    expected: { 'x-ratelimit-limit': '3', 'x-ratelimit-remaining': '2', 'retry-after': null },
  },
  {
    title: 'less left behind it: the fields from there, whole',
    limit: 3,
    upstream: x(9, 1),
    expected: { 'x-ratelimit-limit': '9', 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': '60' },
  },
  {
    title: 'no fields from there: its own',
    limit: 3,
    upstream: { ETag: '"a"' },
    expected: { 'x-ratelimit-limit': '3', 'x-ratelimit-remaining': '2', etag: '"a"' },
  },
  {
    title: 'a refusal from there, and nothing left here either: the fields of the refusal',
    limit: 1,
    upstream: { ...x(9, 0), 'Retry-After': '7' },
    status: 429,
    expected: { 'x-ratelimit-limit': '9', 'x-ratelimit-remaining': '0', 'retry-after': '7' },
  },
  {
    title: 'items of the draft: those of both',
    limit: 3,
    headers: draft,
    upstream: items,
    expected: {
      'ratelimit-policy': '"front";q=3;w=86400, "back";q=9;w=60',
      ratelimit: expect.stringMatching(/^"front";r=2;t=\d+, "back";r=1;t=60$/) as unknown as string, // a matcher
    },
  },
]

/** What a client gets of a server with limits that passes requests on to another one with limits. */
export function describeFront(name: string, start: StartFront): void {
  describe(`${name} in front of a server with limits of its own`, () => {
    let answer: { readonly status: number; readonly headers: OutgoingHttpHeaders }
    let asked = 0
    const upstream = createServer((_, res) => {
      asked++
      res.writeHead(answer.status, answer.headers).end('from behind')
    })
    beforeAll(() => portOf(upstream))
    afterAll(() => void upstream.close())

    async function toFront({ limit, headers }: Row, requests: number): Promise<readonly Response[]> {
      const options = {
        name: 'front',
        policy: fixedWindow({ limit, window: '1d' }),
        ...(headers && { headers }),
      }
      const { port, close } = await start(await portOf(upstream), options)
      try {
        const responses: Response[] = []
        for (let i = 0; i < requests; i++) responses.push(await fetch(`http://127.0.0.1:${port}/`))
        return responses
      } finally {
        await close()
      }
    }

    it.each(rows.map((row) => [row.title, row] as const))('%s', async (_, row) => {
      answer = { status: row.status ?? 200, headers: row.upstream }
      const [response] = await toFront(row, 1)
      expect([response?.status, await response?.text()]).toEqual([answer.status, 'from behind'])
      const given = Object.keys(row.expected).map((each) => [each, response?.headers.get(each) ?? null])
      expect(Object.fromEntries(given)).toEqual(row.expected)
    })

    it('a refusal of its own: nothing is asked behind it', async () => {
      answer = { status: 200, headers: x(9, 8) }
      const before = asked
      const [, refused] = await toFront({ title: '', limit: 1, upstream: {}, expected: {} }, 2)
      expect(refused?.status).toBe(429)
      expect(refused?.headers.get('x-ratelimit-limit')).toBe('1')
      expect(asked - before).toBe(1)
    })
  })
}
