import http, { type IncomingHttpHeaders } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { RuntimeServer } from '../../src/server.ts'

interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** What a runtime cannot have, each with its reason. */
export interface Lacks {
  /** A client's address: the test says it in this field. */
  readonly addressField?: string
  /** Fields on what it answers where a handler has thrown. */
  readonly fieldsOfErrors?: string
  /** News of a client that hangs up while nothing is written. */
  readonly hangUps?: string
  readonly waits?: string
  /** Tests of what only this one has. */
  more?(zoo: () => Zoo): void
}

/** One test server's client. */
class Zoo {
  readonly #port: number
  readonly #headers: Readonly<Record<string, string>>

  constructor(port: number, headers: Readonly<Record<string, string>>) {
    this.#port = port
    this.#headers = headers
  }

  open(path: string, key: string, { method = 'GET', headers = {} } = {}): http.ClientRequest {
    const fields = { ...this.#headers, 'X-Key': key, ...headers }
    return http.request({ host: '127.0.0.1', port: this.#port, path, method, headers: fields }).end()
  }

  send(path: string, key: string, more: Parameters<Zoo['open']>[2] = {}): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const request = this.open(path, key, more)
      request.on('error', reject)
      request.on('response', (response) => {
        let body = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          body += chunk
        })
        response.on('error', reject)
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        )
      })
    })
  }

  async json(path: string, key: string): Promise<unknown> {
    return JSON.parse((await this.send(path, key)).body)
  }

  /** Until so many places are free, or taken. */
  async untilFree(key: string, places: number): Promise<void> {
    while ((await this.json('/free', key)) !== places) await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

const rowOf = ({ status, headers }: Reply) => [
  status,
  headers['x-ratelimit-limit'],
  headers['x-ratelimit-remaining'],
  headers['retry-after'],
]

/** What the limits of a runtime's server must do, over real sockets. */
export function describeRuntime(name: string, start: () => Promise<RuntimeServer>, lacks: Lacks = {}): void {
  describe(name, () => {
    let server: RuntimeServer | undefined
    let zoo: Zoo
    const address = lacks.addressField === undefined ? '127.0.0.1' : '192.0.2.77'

    beforeAll(async () => {
      server = await start()
      zoo = new Zoo(server.port, lacks.addressField === undefined ? {} : { [lacks.addressField]: address })
    }, 300_000)
    afterAll(() => server?.stop())

    /** Where the runtime does not notice it, the handler goes on to its end. */
    async function leave(request: http.ClientRequest, key: string): Promise<void> {
      request.destroy()
      if (lacks.hangUps !== undefined) await zoo.send('/end', key)
    }

    it('allows and refuses, with the fields and a problem body, or a text', async () => {
      const replies = [await zoo.send('/two', 'a'), await zoo.send('/two', 'a'), await zoo.send('/two', 'a')]
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 429])
      expect(replies.map((reply) => rowOf(reply)[2])).toEqual(['1', '0', '0'])
      const [first, , third] = replies
      expect([first?.body, first?.headers['retry-after']]).toEqual(['ok', undefined])
      expect(third?.headers).toMatchObject({
        'content-type': 'application/problem+json',
        'cache-control': 'no-store',
        'x-ratelimit-limit': '2',
      })
      expect(Number(third?.headers['retry-after'])).toBeGreaterThan(50)
      expect(JSON.parse(third?.body ?? '')).toMatchObject({ status: 429, 'violated-policies': ['two'] })
      const text = await zoo.send('/two', 'a', { headers: { Accept: 'text/html' } })
      expect([text.headers['content-type'], text.body]).toEqual([
        'text/plain; charset=utf-8',
        expect.stringMatching(/^Too many requests: try again in \d+ seconds\.$/),
      ])
      expect((await zoo.send('/two', 'b')).status).toBe(200)
    })

    it('lets a crowd in up to the limit', async () => {
      const replies = await Promise.all(Array.from({ length: 40 }, () => zoo.send('/crowd', 'a')))
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(25)
      expect(replies.filter(({ status }) => status === 429)).toHaveLength(15)
    })

    it('knows the address of the connection, which counts where the key is null', async () => {
      const replies = [await zoo.send('/address', 'a'), await zoo.send('/address', 'b')]
      expect(replies.map((reply) => rowOf(reply)[2])).toEqual(['24', '23'])
      expect(await zoo.json('/seen', 'b')).toBe(address)
    })

    it('behind a proxy of its own: the address that this has appended', async () => {
      const from = (forwarded: string) =>
        zoo.send('/proxied', 'a', { headers: { 'X-Forwarded-For': forwarded } })
      const replies = [
        await from('192.0.2.1'),
        await from('10.0.0.9, 192.0.2.1'),
        await from('10.0.0.8, 192.0.2.1'),
        await from('192.0.2.2'),
      ]
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 429, 200])
    })

    it('two limiters on one request: the fields of both, and the tighter one binds', async () => {
      const { headers } = await zoo.send('/both', 'a')
      expect(headers.ratelimit).toMatch(/^"wide";r=24;t=\d+, "small";r=1;t=\d+$/)
      expect(headers['x-ratelimit-remaining']).toBe('1')
      await zoo.send('/both', 'a')
      expect((await zoo.send('/both', 'a')).status).toBe(429)
    })

    const waits = lacks.waits === undefined ? it : it.skip
    waits('delays requests until their turn', async () => {
      const replies = await Promise.all(Array.from({ length: 4 }, () => zoo.send('/wait', 'a')))
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    })

    it('holds a place until the handler has ended', async () => {
      const held = zoo.send('/place', 'held')
      await zoo.untilFree('held', 0)
      expect(rowOf(await zoo.send('/place', 'held'))).toEqual([429, '1', '0', '1'])
      await zoo.send('/end', 'held')
      expect((await held).status).toBe(200)
      await zoo.untilFree('held', 1)
    })

    it('a client that hangs up while its handler works frees the place', async () => {
      const request = zoo.open('/place', 'gone')
      request.on('error', () => {})
      await zoo.untilFree('gone', 0)
      await leave(request, 'gone')
      await zoo.untilFree('gone', 1)
    })

    it('a stream holds its place to its end', async () => {
      const streamed = zoo.send('/stream', 'stream')
      await zoo.untilFree('stream', 0)
      expect((await zoo.send('/stream', 'stream')).status).toBe(429)
      await zoo.send('/end', 'stream')
      const { status, body } = await streamed
      expect([status, body]).toEqual([206, 'first last'])
      await zoo.untilFree('stream', 1)
    })

    it('a stream that its client breaks off frees its place', async () => {
      const request = zoo.open('/stream', 'broken')
      request.on('error', () => {})
      await new Promise<void>((resolve) => {
        request.on('response', (response) => {
          response.on('error', () => {})
          response.once('data', () => resolve())
        })
      })
      await zoo.untilFree('broken', 0)
      await leave(request, 'broken')
      await zoo.untilFree('broken', 1)
    })

    it('settles an answer that was read, and one whose client has gone', async () => {
      await zoo.send('/end', 'whole')
      expect((await zoo.send('/settled', 'whole')).status).toBe(206)
      const request = zoo.open('/settled', 'half')
      request.on('error', () => {})
      request.on('response', (response) => {
        response.on('error', () => {})
        response.once('data', () => void leave(request, 'half'))
      })
      const endings = async (key: string) => {
        for (;;) {
          const found = (await zoo.json('/endings', key)) as unknown[]
          if (found.length > 0) return found
        }
      }
      expect(await endings('whole')).toEqual([{ status: 206, aborted: false }])
      const aborted = lacks.hangUps === undefined ? true : expect.any(Boolean)
      expect(await endings('half')).toEqual([{ status: 206, aborted }])
    })

    it('a handler that throws, or returns nothing: an error of the runtime, and its place is free', async () => {
      const { status, headers } = await zoo.send('/throws', 'a')
      expect(status).toBe(500)
      if (lacks.fieldsOfErrors === undefined) expect(headers['x-ratelimit-limit']).toBe('1')
      await zoo.untilFree('a', 1)
      expect((await zoo.send('/nothing', 'a')).status).toBe(500)
    })

    it('redirects, empty answers and answers to HEAD carry the fields', async () => {
      const redirect = await zoo.send('/redirect', 'a')
      expect([...rowOf(redirect), redirect.headers.location]).toEqual([
        303,
        '25',
        '24',
        undefined,
        'http://zoo/two',
      ])
      expect(rowOf(await zoo.send('/empty', 'a'))).toEqual([204, '25', '24', undefined])
      const head = await zoo.send('/two', 'head', { method: 'HEAD' })
      expect([...rowOf(head), head.body]).toEqual([200, '2', '1', undefined, ''])
      await zoo.send('/two', 'head')
      const refused = await zoo.send('/two', 'head', { method: 'HEAD' })
      expect([refused.status, refused.body, refused.headers['x-ratelimit-remaining']]).toEqual([429, '', '0'])
    })
    lacks.more?.(() => zoo)
  })
}
