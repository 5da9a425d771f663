import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { socket } from '@sluice/faults/redis-socket'
import { Redis } from 'ioredis'
import { type NextOfPage, nextOfPage } from '../../src/next-page.ts'
import { programsOf } from '../../src/page-programs.ts'
import type { RuntimeServer } from '../../src/server.ts'

// biome-ignore format: a table
describe.each([
  [16, 'built'],
  [15, 'built'],
  [16, 'development'],
] as const)('docs/next.md with Next.js %i, %s', (version, mode) => {
  let app: NextOfPage
  let server: RuntimeServer
  let redis: Redis
  let clients = 0

  beforeAll(async () => {
    redis = new Redis(socket)
    await redis.flushall() // its own server
    app = await nextOfPage(version)
    server = await app.start(mode, socket)
    for (const place of ['/', '/api/tickets', '/api/free']) await send(place, '198.51.100.99')
  }, 300_000)
  afterAll(async () => {
    await server?.stop()
    app?.remove()
    await redis.quit()
  })

  function send(place: string, address: string, init: RequestInit = {}): Promise<Response> {
    const headers = { 'X-Forwarded-For': address, ...init.headers }
    return fetch(`http://127.0.0.1:${server.port}${place}`, { ...init, headers })
  }
  const nobody = () => `198.18.${++clients >> 8}.${clients & 255}`

  /** Status, limit, what is left, and whether a time to wait is told. */
  async function rowOf(place: string, address: string): Promise<readonly unknown[]> {
    const { status, headers } = await send(place, address)
    const left = ['limit', 'remaining'].map((each) => headers.get(`x-ratelimit-${each}`))
    return [status, ...left.map((each) => (each === null ? each : Number(each))), headers.has('retry-after')]
  }

  it('a route and the proxy before it: the fields of the one with less left, and those of the refusal', async () => {
    const address = nobody()
    // biome-ignore format: a table
    const rows = [
      ['/api/tickets', 200, 2, 1, false],
      ['/api/tickets', 200, 2, 0, false],
      ['/api/tickets', 429, 2, 0, true],
      ['/api/free',    200, 8, 4, false],
    ] as const
    for (const [place, ...row] of rows) expect([place, ...(await rowOf(place, address))]).toEqual([place, ...row])
  })

  it('the proxy alone: its fields, and its own refusal in front of the route', async () => {
    const address = nobody()
    for (let left = 7; left >= 1; left--) expect(await rowOf('/api/free', address)).toEqual([200, 8, left, false])
    expect(await rowOf('/api/tickets', address)).toEqual([200, 8, 0, false])
    expect(await rowOf('/api/tickets', address)).toEqual([429, 8, 0, true])
  })

  it('a page has the fields of the proxy, and a static file has none', async () => {
    const address = nobody()
    expect(await rowOf('/', address)).toEqual([200, 8, 7, false])
    expect(await rowOf('/zoo.svg', address)).toEqual([200, null, null, false])
    expect(await rowOf('/', address)).toEqual([200, 8, 6, false])
  })

  it('a server action says by itself that it is limited, and the proxy counts it', async () => {
    const address = nobody()
    const act = async () => {
      const headers = { 'Next-Action': app.actionId(), 'Content-Type': 'text/plain;charset=UTF-8' }
      const response = await send('/', address, { method: 'POST', headers, body: '["hello"]' })
      return [await response.text(), response.headers.get('x-ratelimit-remaining')]
    }
    expect(await act()).toEqual([expect.stringContaining('"thank you"'), '7'])
    expect(await act()).toEqual([expect.stringContaining('"try again later"'), '6'])
  })

  if (mode === 'development') {
    it('a module that is loaded anew, with another limit, goes on counting over the same connection', async () => {
      const connections = async () => String(await redis.client('LIST')).trim().split('\n').length
      const address = nobody()
      const before = await connections()
      expect(await rowOf('/api/tickets', address)).toEqual([200, 2, 1, false])
      const route = programsOf('next.md')['app/api/tickets/route.ts'] ?? ''
      for (const limit of [3, 4, 5]) {
        await app.write('app/api/tickets/route.ts', route.replace('limit: 2', `limit: ${limit}`))
        let row: readonly unknown[]
        do row = await rowOf('/api/tickets', nobody())
        while (row[1] !== limit)
        expect(row).toEqual([200, limit, limit - 1, false])
      }
      expect(await rowOf('/api/tickets', address)).toEqual([200, 5, 3, false])
      expect(await connections()).toBe(before)
    })
  }
})
