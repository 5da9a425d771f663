import { expect } from '@jest/globals'
import { createLimiter, fixedWindow, type Observer } from '@sluice/core'
import type { Reply } from './client.ts'
import { limitFieldsOf, parsed, repliesOf } from './replies.ts'
import type { Scenario } from './scenario.ts'
import type { Handler } from './site.ts'
import { rowOf } from './world.ts'

const visitorAndAttraction = {
  visitor: fixedWindow({ limit: 5, window: '10s' }),
  attraction: fixedWindow({ limit: 2, window: '1m' }),
}

/** Several policies or limiters on one request, and costs other than one. */
export const several: readonly Scenario[] = [
  {
    title: '8: several policies: the binding one, and all in configuration order',
    async run(world) {
      const options = world.office({ policies: visitorAndAttraction, headers: { draft: true } })
      const replies = await repliesOf(await world.limited(options), 3)
      expect(replies.map(rowOf)).toEqual([
        [200, '2', '1', '60', undefined],
        [200, '2', '0', '60', undefined],
        [429, '2', '0', '60', '60'],
      ])
      expect(replies.map(({ headers }) => headers['ratelimit-policy'])).toEqual(
        Array(3).fill('"tickets.visitor";q=5;w=10, "tickets.attraction";q=2;w=60'),
      )
      expect(replies.map(({ headers }) => headers.ratelimit)).toEqual([
        '"tickets.visitor";r=4;t=10, "tickets.attraction";r=1;t=60',
        '"tickets.visitor";r=3;t=10, "tickets.attraction";r=0;t=60',
        '"tickets.visitor";r=3;t=10, "tickets.attraction";r=0;t=60',
      ])
      expect(JSON.parse(replies[2]?.body ?? '')['violated-policies']).toEqual(['tickets.attraction'])
    },
  },
  {
    title: '9: a cost that never fits',
    async run(world) {
      const options = world.tickets({ cost: 3, headers: { draft: true } })
      const [reply] = await repliesOf(await world.limited(options), 1)
      expect(rowOf(reply as Reply)).toEqual([429, '2', '0', '0', undefined])
      expect(reply?.headers.ratelimit).toBe('"tickets";r=2')
      expect(JSON.parse(reply?.body ?? '')).toEqual({
        type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
        title: 'Request cannot be satisfied as assigned quota has been exceeded',
        status: 429,
        detail: 'This request costs more than the limit allows.',
        'violated-policies': ['tickets'],
        reason: 'too-costly',
      })
      expect(world.handled).toBe(0)
    },
  },
  {
    title: '10: a cost of two where one is left',
    async run(world) {
      const cost = (_: object, view: { header(name: string): string | undefined }) =>
        Number(view.header('x-cost'))
      const client = await world.limited(world.tickets({ cost, headers: { draft: true } }))
      expect(rowOf(await client.send({ headers: { 'X-Cost': '1' } }))).toEqual([
        200,
        '2',
        '1',
        '10',
        undefined,
      ])
      const refused = await client.send({ headers: { 'X-Cost': '2' } })
      expect(rowOf(refused)).toEqual([429, '2', '0', '10', '10'])
      expect(refused.headers.ratelimit).toBe('"tickets";r=1;t=10')
    },
  },
  {
    title: 'kinds of request draw on one budget at their prices, and a kind without a price is an error',
    async run(world) {
      const prices = { read: 1, write: 5, export: 100 }
      const policy = fixedWindow({ limit: 110, window: '1h' })
      const options = world.tickets({ policy, prices, cost: (_, view) => view.header('x-kind') ?? '' })
      const client = await world.limited(options)
      const send = async (kind: string) =>
        rowOf(await client.send({ headers: { 'X-Kind': kind } })).slice(0, 3)
      expect(await send('export')).toEqual([200, '110', '10'])
      expect(await send('export')).toEqual([429, '110', '0'])
      expect(await send('write')).toEqual([200, '110', '5'])
      expect(await send('read')).toEqual([200, '110', '4'])

      const fixed = await world.limited(world.tickets({ name: 'fixed', policy, prices, cost: 'write' }))
      expect(rowOf(await fixed.send()).slice(0, 3)).toEqual([200, '110', '105'])
      const limiter = createLimiter({ name: 'ready', policy, prices, ...world.quiet() })
      world.later(() => limiter.close())
      const ready = await world.limited({ limiter, key: () => 'bob', cost: 'export' })
      expect(rowOf(await ready.send()).slice(0, 3)).toEqual([200, '110', '10'])
      for (const wrong of [
        world.tickets({ policy, prices, cost: 'wirte' }),
        { limiter, key: () => 'bob', cost: 'wirte' },
      ])
        await expect(world.limited(wrong)).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: 'cost' })
    },
  },
  {
    title: '11: two limiters that allow: the more binding one, draft fields joined',
    async run(world) {
      const wide = world.tickets({
        name: 'wide',
        policy: visitorAndAttraction.visitor,
        headers: { draft: true },
      })
      const tight = world.tickets({ name: 'tight', headers: { draft: true } })
      for (const limits of [
        [wide, tight],
        [tight, wide],
      ]) {
        const client = await world.open({ limits })
        const reply = await client.send({ by: limits === undefined ? '' : String(limits[0] === wide) })
        expect(rowOf(reply)).toEqual([200, '2', '1', '10', undefined])
        const names = limits[0] === wide ? ['wide', 'tight'] : ['tight', 'wide']
        expect(parsed(reply.headers.ratelimit).map(([name]) => name)).toEqual(names)
        expect(parsed(reply.headers['ratelimit-policy']).map(([name]) => name)).toEqual(names)
      }
    },
  },
  {
    title: '11: two limiters of one name under one draft field: one warning',
    async run(world) {
      const settings = { headers: { draft: true }, name: 'default' }
      const other = { ...world.quiet(), policy: visitorAndAttraction.visitor, ...settings, store: undefined }
      const client = await world.open({ limits: [world.tickets(settings), other] })
      await client.crowd(2)
      expect(world.takeWarnings()).toEqual(['SLUICE_SAME_NAME'])
    },
  },
  {
    title: '12: two limiters, the second refuses: what the first took stays taken',
    async run(world) {
      const wide = world.tickets({ name: 'wide', policy: visitorAndAttraction.visitor })
      const tight = world.tickets({ name: 'tight', policy: fixedWindow({ limit: 1, window: '1m' }) })
      const client = await world.open({ limits: [wide, tight] })
      const replies = [await client.send(), await client.send(), await client.send()]
      expect(replies.map(rowOf)).toEqual([
        [200, '1', '0', '60', undefined],
        [429, '1', '0', '60', '60'],
        [429, '1', '0', '60', '60'],
      ])
      expect(JSON.parse(replies[1]?.body ?? '')['violated-policies']).toEqual(['tight'])
      expect(world.handled).toBe(1)
      const alone = await world.limited(wide)
      expect(rowOf(await alone.send())).toEqual([200, '5', '1', '10', undefined])
    },
  },
  {
    title: '12: a limiter in front that refuses keeps the one behind from charging',
    async run(world) {
      const tight = world.tickets({ name: 'tight', policy: fixedWindow({ limit: 1, window: '1m' }) })
      const wide = world.tickets({ name: 'wide', policy: visitorAndAttraction.visitor })
      const client = await world.open({ limits: [tight, wide] })
      for (let i = 0; i < 3; i++) await client.send()
      const alone = await world.limited(wide)
      expect(rowOf(await alone.send())).toEqual([200, '5', '3', '10', undefined])
    },
  },
  {
    title: '18: a shadow policy sends no fields, and observers are notified',
    async run(world) {
      const seen: (string | null | undefined)[] = []
      const observers: Observer[] = [{ decided: ({ shadow }) => seen.push(shadow?.reason ?? null) }]
      const handler: Handler = ({ decision, send }) => {
        seen.push(decision?.shadow?.policy)
        send(200, String(decision?.allowed))
      }
      const options = world.tickets({ shadow: true, observers, headers: { draft: true } })
      const client = await world.open({ limits: [options], routes: [{ handler }] })
      for (let i = 0; i < 3; i++) {
        const reply = await client.send()
        expect([reply.status, reply.body, limitFieldsOf(reply)]).toEqual([200, 'true', []])
      }
      expect(seen).toEqual([null, undefined, null, undefined, 'limited', 'default'])
    },
  },
  {
    title: '18: beside a policy that binds, a shadow one is in no field',
    async run(world) {
      const options = world.office({
        policies: visitorAndAttraction,
        shadow: { attraction: true },
        headers: { draft: true },
      })
      const replies = await repliesOf(await world.limited(options), 3)
      expect(replies.map(rowOf).at(-1)).toEqual([200, '5', '2', '10', undefined])
      expect(replies.at(-1)?.headers.ratelimit).toBe('"tickets.visitor";r=2;t=10')
    },
  },
  {
    title: '18: a limiter in shadow does not hide the numbers of those behind it',
    async run(world) {
      const shadow = world.tickets({
        name: 'shadow',
        shadow: true,
        policy: fixedWindow({ limit: 1, window: '1m' }),
      })
      const client = await world.open({ limits: [shadow, world.tickets()] })
      const replies = [await client.send(), await client.send(), await client.send()]
      expect(replies.map(rowOf)).toEqual([
        [200, '2', '1', '10', undefined],
        [200, '2', '0', '10', undefined],
        [429, '2', '0', '10', '10'],
      ])
    },
  },
]
