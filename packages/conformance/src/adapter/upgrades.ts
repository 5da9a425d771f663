import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { expect } from '@jest/globals'
import { createLimiter, fixedWindow } from '@sluice/core'
import { guardUpgrade } from '@sluice/http'
import { changingLists } from './changing-lists.ts'
import type { Client } from './client.ts'
import { exchange, type Head, headsOf, rawRequest, upgradeRequest } from './raw.ts'
import type { Scenario } from './scenario.ts'
import { rowOf, twoIn10s, type World } from './world.ts'

/** Guards a site's upgrades; those that pass get 101 and an end. */
function guarded(
  world: World,
  guard: (request: IncomingMessage, socket: Duplex) => Promise<boolean>,
): readonly boolean[] {
  const passed: boolean[] = []
  world.running.server.on('upgrade', async (request, socket) => {
    const pass = await guard(request, socket)
    passed.push(pass)
    if (pass) socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n')
  })
  return passed
}

/** The answers to so many upgrades at once, each on a connection of its own. */
async function upgrades(client: Client, count: number): Promise<readonly (Head | undefined)[]> {
  const received = await Promise.all(Array.from({ length: count }, () => exchange(client, upgradeRequest())))
  return received.map((text) => headsOf(text)[0])
}

/** Requests that leave HTTP. */
export const upgrading: readonly Scenario[] = [
  {
    title: '50: past the limit an upgrade is refused on its socket',
    async run(world) {
      const client = await world.open({})
      const passed = guarded(
        world,
        guardUpgrade({ ...world.tickets({ headers: { draft: true } }), settle: undefined }),
      )
      for (let i = 0; i < 2; i++) expect(await exchange(client, upgradeRequest())).toMatch(/^HTTP\/1\.1 101 /)
      const [head = '', body = ''] = (await exchange(client, upgradeRequest())).split('\r\n\r\n')
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
      expect(await exchange(client, upgradeRequest({ by: 'eve' }))).toMatch(/^HTTP\/1\.1 101 /)
    },
  },
  {
    title: '50: forty upgrades at once: exactly the limit',
    async run(world) {
      const limit = 25
      const client = await world.open({})
      const policy = fixedWindow({ limit, window: '10s' })
      guarded(world, guardUpgrade({ ...world.tickets({ policy }), settle: undefined }))
      const statuses = (await upgrades(client, 40)).map((head) => head?.status)
      expect(statuses.sort()).toEqual([...Array(limit).fill(101), ...Array(40 - limit).fill(429)])
    },
  },
  {
    title: '50: an upgrade and a request that share a limiter share a count',
    async run(world) {
      const limiter = createLimiter({ policy: twoIn10s, name: 'tickets', ...world.quiet() })
      world.later(() => limiter.close())
      const shared = { limiter, key: () => 'bob' }
      const client = await world.limited(shared)
      guarded(world, guardUpgrade(shared))
      expect(rowOf(await client.send())).toEqual([200, '2', '1', '10', undefined])
      expect((await upgrades(client, 1))[0]?.status).toBe(101)
      expect(rowOf(await client.send())).toEqual([429, '2', '0', '10', '10'])
      expect((await upgrades(client, 1))[0]?.status).toBe(429)
    },
  },
  {
    title: '24, 50: lists that change while it runs meet an upgrade',
    async run(world) {
      const lists = changingLists()
      const client = await world.open({})
      guarded(world, guardUpgrade({ ...world.tickets({ lists: [lists] }), settle: undefined }))
      const answer = async () => {
        const [head] = await upgrades(client, 1)
        return [head?.status, head?.fields['retry-after'], head?.fields['x-ratelimit-limit']]
      }
      lists.listed = { list: 'deny', endsInMs: 60_000 }
      expect(await answer()).toEqual([403, undefined, undefined])
      lists.listed = { list: 'block', endsInMs: 59_001 }
      expect((await answer()).slice(0, 2)).toEqual([429, '60'])
      lists.listed = { list: 'allow', endsInMs: 60_000 }
      for (let i = 0; i < 3; i++) expect((await answer())[0]).toBe(101)
      lists.listed = undefined
      const counted: unknown[] = []
      for (let i = 0; i < 3; i++) counted.push((await answer())[0])
      expect(counted).toEqual([101, 101, 429])
    },
  },
  {
    title: '50: where nobody takes upgrades, a request that asks for one is counted like any other',
    async run(world) {
      const client = await world.limited(world.tickets())
      const statuses: (number | undefined)[] = []
      for (const fields of [['Upgrade: websocket'], ['Upgrade: h2c'], ['Upgrade: \u00ff'], []]) {
        const text = rawRequest({ fields, connection: 'Upgrade, close' })
        statuses.push(headsOf(await exchange(client, text))[0]?.status)
      }
      expect([statuses, world.handled]).toEqual([[200, 200, 429, 429], 2])
    },
  },
]
