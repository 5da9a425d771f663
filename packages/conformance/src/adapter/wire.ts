import http2 from 'node:http2'
import net from 'node:net'
import { expect } from '@jest/globals'
import { fixedWindow } from '@sluice/core'
import { guardUpgrade } from '@sluice/core/http'
import type { Client } from './client.ts'
import type { Scenario } from './scenario.ts'
import type { Handler } from './site.ts'
import { rowOf, signal, type World } from './world.ts'

const limit = 25
const crowdPolicy = fixedWindow({ limit, window: '10s' })

/** Text sent on a connection of its own, and all that comes back until it ends. */
function exchange(client: Client, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(client.target)
    let received = ''
    socket.setEncoding('utf8')
    socket.on('data', (data: string) => {
      received += data
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(received))
    socket.write(text)
  })
}

/** The statuses of so many streams of one HTTP/2 session. */
async function streams(world: World, client: Client, count: number): Promise<number[]> {
  const session = http2.connect(client.url)
  world.later(() => session.close())
  const one = () =>
    new Promise<number>((resolve, reject) => {
      const stream = session.request({ ':path': '/tickets', 'x-key': 'bob' })
      let status = 0
      stream.on('response', (headers) => {
        status = Number(headers[':status'])
      })
      stream.on('error', reject)
      stream.on('end', () => resolve(status))
      stream.resume()
    })
  return Promise.all(Array.from({ length: count }, one))
}

/** Connections and servers that keep this process alive. */
function holding(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind.startsWith('TCP')).length
}

async function untilNothingHolds(): Promise<void> {
  const end = performance.now() + 2000
  while (holding() > 0 && performance.now() < end) await new Promise((resolve) => setImmediate(resolve))
  expect(holding()).toBe(0)
}

function upgradeRequest(by: string): string {
  return `GET /socket HTTP/1.1\r\nHost: zoo\r\nX-Key: ${by}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`
}

/** Guards a site's upgrades; those that pass get 101 and an end. */
function guarded(world: World, guard: ReturnType<typeof guardUpgrade>): readonly boolean[] {
  const passed: boolean[] = []
  world.running.server.on('upgrade', async (request, socket) => {
    const pass = await guard(request, socket)
    passed.push(pass)
    if (pass) socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n')
  })
  return passed
}

export const wire: readonly Scenario[] = [
  {
    title: '49: sixty HTTP/2 streams: exactly the limit',
    async run(world) {
      const client = await world.limited(world.tickets({ policy: crowdPolicy }), { http2: true })
      const statuses = await streams(world, client, 60)
      expect([statuses.filter((status) => status === 200).length, statuses.length]).toEqual([limit, 60])
      expect(statuses.filter((status) => status === 429)).toHaveLength(60 - limit)
    },
  },
  {
    title: '49: HTTP/2 streams that are settled, reset or refused harm nothing',
    async run(world) {
      const endings: boolean[] = []
      const all = signal()
      const settle = (_: object, { aborted }: { aborted: boolean }) => {
        endings.push(aborted)
        if (endings.length === 3) all.done()
        return 0
      }
      const handler: Handler = async ({ raw, send }) => {
        if (raw.req.headers['x-hang'] !== undefined)
          await new Promise((resolve) => raw.once('close', resolve))
        else send(200, 'ok')
      }
      const client = await world.open({
        limits: [world.tickets({ policy: crowdPolicy, settle, key: undefined })],
        routes: [{ handler }],
        http2: true,
      })
      const session = http2.connect(client.url)
      world.later(() => session.close())
      const hanging = session.request({ ':path': '/tickets', 'x-hang': '1' })
      hanging.on('error', () => {})
      expect(await streams(world, client, 2)).toEqual([200, 200])
      hanging.close(http2.constants.NGHTTP2_CANCEL)
      await all.promise
      expect(endings.sort()).toEqual([false, false, true])
    },
  },
  {
    title: '49: an HTTP/2 session that is destroyed before the decision, or behind it, harms nothing',
    async run(world) {
      for (const where of ['before', 'behind'] as const) {
        const reached = signal()
        const decided = signal()
        const gone: Handler = async ({ raw }) => {
          reached.done()
          await new Promise((resolve) => raw.once('close', resolve))
        }
        const handler: Handler = async (exchange) => {
          if (where === 'behind') await gone(exchange)
          exchange.send(200, 'too late')
        }
        const settle = () => {
          decided.done()
          return 0
        }
        const client = await world.open({
          first: where === 'before' ? gone : undefined,
          limits: [world.tickets({ name: where, policy: crowdPolicy, settle, key: undefined })],
          routes: [{ handler }],
          http2: true,
        })
        const session = http2.connect(client.url)
        session.on('error', () => {})
        session.request({ ':path': '/tickets' }).on('error', () => {})
        await reached.promise
        session.destroy()
        await decided.promise
      }
      world.takeWarnings()
    },
  },
  {
    title: '49: forty pipelined requests: exactly the limit, in order',
    async run(world) {
      const client = await world.limited(world.tickets({ policy: crowdPolicy }))
      const get = (connection: string) =>
        `GET /tickets HTTP/1.1\r\nHost: zoo\r\nX-Key: bob\r\nConnection: ${connection}\r\n\r\n`
      const received = await exchange(client, get('keep-alive').repeat(39) + get('close'))
      const statuses = [...received.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status)
      expect(statuses).toEqual([...Array(limit).fill('200'), ...Array(40 - limit).fill('429')])
    },
  },
  {
    title: '50: past the limit an upgrade is refused on its socket',
    async run(world) {
      const client = await world.open({})
      const passed = guarded(
        world,
        guardUpgrade({ ...world.tickets({ headers: { draft: true } }), settle: undefined }),
      )
      for (let i = 0; i < 2; i++)
        expect(await exchange(client, upgradeRequest('bob'))).toMatch(/^HTTP\/1\.1 101 /)
      const [head = '', body = ''] = (await exchange(client, upgradeRequest('bob'))).split('\r\n\r\n')
      const [statusLine, ...fields] = head.split('\r\n')
      expect(statusLine).toBe('HTTP/1.1 429 Too Many Requests')
      expect(Object.fromEntries(fields.map((line) => line.toLowerCase().split(': ')))).toEqual({
        'cache-control': 'no-store',
        connection: 'close',
        'content-length': String(body.length),
        'content-type': 'application/problem+json',
        'ratelimit-policy': '"tickets";q=2;w=10',
        ratelimit: '"tickets";r=0;t=10',
        'retry-after': '10',
        'x-ratelimit-limit': '2',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': '10',
      })
      expect(JSON.parse(body)).toMatchObject({ status: 429, 'violated-policies': ['tickets'] })
      expect(passed).toEqual([true, true, false])
      expect(await exchange(client, upgradeRequest('eve'))).toMatch(/^HTTP\/1\.1 101 /)
    },
  },
  {
    title: '51: closing answers what is in flight and leaves nothing behind',
    async run(world) {
      await untilNothingHolds()
      const reached = signal()
      const release = signal()
      const handler: Handler = async ({ send }) => {
        reached.done()
        await release.promise
        send(200, 'ok')
      }
      const client = await world.open({
        limits: [world.tickets({ settle: () => 0 })],
        routes: [{ handler }],
      })
      const held = client.send()
      await reached.promise
      const closed = world.running.close()
      release.done()
      expect(await held).toMatchObject({ status: 200, body: 'ok' })
      client.close()
      await closed
      await untilNothingHolds()
    },
  },
  {
    title: '51: closing while a decision is awaited: decided and answered',
    async run(world) {
      const reached = signal()
      const release = signal<string>()
      const key = () => {
        reached.done()
        return release.promise
      }
      const client = await world.limited(world.tickets({ key }))
      const held = client.send()
      await reached.promise
      const closed = world.running.close()
      release.done('bob')
      expect(rowOf(await held)).toEqual([200, '2', '1', '10', undefined])
      client.close()
      await closed
    },
  },
]
