import { Readable } from 'node:stream'
import { expect } from '@jest/globals'
import { fixedWindow, gcra, type Observer } from '@sluice/core'
import { isInnerList, parseList } from 'structured-headers'
import type { Reply } from './client.ts'
import type { Scenario } from './scenario.ts'
import type { Handler, Options } from './site.ts'
import { rowOf, type World, xLimit, xRemaining, xReset } from './world.ts'

const visitorAndAttraction = {
  visitor: fixedWindow({ limit: 5, window: '10s' }),
  attraction: fixedWindow({ limit: 2, window: '1m' }),
}

/** Every field that a limiter may send. */
function toldBy({ headers }: Reply): readonly string[] {
  return Object.keys(headers).filter((name) => /ratelimit|retry-after/.test(name))
}

/** A draft field as a client reads it: a list of texts with whole numbers. */
function parsed(field: string | string[] | undefined): readonly (readonly [string, object])[] {
  return parseList(String(field)).map((item) => {
    if (isInnerList(item)) throw new Error('an inner list')
    const [name, parameters] = item
    expect(typeof name).toBe('string')
    for (const value of parameters.values()) expect(Number.isInteger(value)).toBe(true)
    return [String(name), Object.fromEntries(parameters)]
  })
}

async function firstReplies(world: World, options: Options, count: number): Promise<Reply[]> {
  const client = await world.limited(options)
  const replies: Reply[] = []
  for (let i = 0; i < count; i++) replies.push(await client.send())
  return replies
}

export const fields: readonly Scenario[] = [
  {
    title: '1, 2, 3: the first requests of a window and the one too many',
    async run(world) {
      const client = await world.limited(world.tickets())
      // biome-ignore format: a table
      const rows = [
        // advance  status  limit  remaining  reset  retry-after  handled
        [0,         200,    '2',   '1',       '10',  undefined,   1],
        [3200,      200,    '2',   '0',       '7',   undefined,   2],
        [0,         429,    '2',   '0',       '7',   '7',         2],
      ] as const
      for (const [advance, ...told] of rows) {
        await world.clock.advance(advance)
        const reply = await client.send()
        expect([...rowOf(reply), world.handled]).toEqual(told)
        expect(reply.headers['cache-control']).toBe(told[0] === 429 ? 'no-store' : undefined)
      }
    },
  },
  {
    title: '3: a refusal is the same in every framework, field by field and byte by byte',
    async run(world) {
      const [, , refused] = await firstReplies(world, world.tickets(), 3)
      const { date, connection, 'keep-alive': keepAlive, 'x-powered-by': by, ...own } = refused?.headers ?? {}
      expect([typeof date, connection, typeof keepAlive, by ?? 'Express']).toEqual([
        'string',
        'keep-alive',
        'string',
        'Express',
      ])
      const body =
        '{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded",' +
        '"title":"Request cannot be satisfied as assigned quota has been exceeded","status":429,' +
        '"detail":"Too many requests: try again in 10 seconds.","violated-policies":["tickets"],' +
        '"reason":"limited","retryAfter":10}'
      expect(refused?.body).toBe(body)
      expect(own).toEqual({
        'cache-control': 'no-store',
        'content-length': String(body.length),
        'content-type': 'application/problem+json',
        'retry-after': '10',
        [xLimit]: '2',
        [xRemaining]: '0',
        [xReset]: '10',
      })
    },
  },
  {
    title: '4: a microsecond before the window ends, and at its end',
    async run(world) {
      const client = await world.limited(world.tickets())
      await client.crowd(2)
      // biome-ignore format: a table
      const rows = [
        // advance ms  status  limit  remaining  reset  retry-after
        [9999.999,     429,    '2',   '0',       '1',   '1'],
        [0.001,        200,    '2',   '1',       '10',  undefined],
      ] as const
      for (const [advance, ...told] of rows) {
        await world.clock.advance(advance)
        expect(rowOf(await client.send())).toEqual(told)
      }
    },
  },
  {
    title: '5: epoch seconds',
    async run(world) {
      const [reply] = await firstReplies(world, world.tickets({ headers: { x: 'epoch-seconds' } }), 1)
      const reset = Number(reply?.headers[xReset])
      const date = Date.parse(String(reply?.headers.date)) / 1000
      expect(Number.isInteger(reset)).toBe(true)
      expect(Math.abs(reset - (date + 10))).toBeLessThanOrEqual(1)
    },
  },
  {
    title: '6: the draft fields beside the others',
    async run(world) {
      const replies = await firstReplies(world, world.tickets({ headers: { draft: true } }), 3)
      const fields = replies.map(({ headers }) => [headers['ratelimit-policy'], headers.ratelimit])
      expect(fields).toEqual([
        ['"tickets";q=2;w=10', '"tickets";r=1;t=10'],
        ['"tickets";q=2;w=10', '"tickets";r=0;t=10'],
        ['"tickets";q=2;w=10', '"tickets";r=0;t=10'],
      ])
      expect(replies.map(rowOf).at(-1)).toEqual([429, '2', '0', '10', '10'])
      for (const [policy, limit] of fields) {
        expect(parsed(policy)).toEqual([['tickets', { q: 2, w: 10 }]])
        expect(parsed(limit)).toEqual([['tickets', { r: expect.anything(), t: 10 }]])
      }
    },
  },
  {
    title: '6: the draft fields alone',
    async run(world) {
      const replies = await firstReplies(world, world.tickets({ headers: { x: false, draft: true } }), 3)
      expect(replies.map(toldBy)).toEqual([
        ['ratelimit-policy', 'ratelimit'],
        ['ratelimit-policy', 'ratelimit'],
        ['ratelimit-policy', 'ratelimit', 'retry-after'],
      ])
    },
  },
  {
    title: '7: no fields but the wait',
    async run(world) {
      const replies = await firstReplies(world, world.tickets({ headers: false }), 3)
      expect(replies.map(toldBy)).toEqual([[], [], ['retry-after']])
      expect(replies.map(rowOf).at(-1)).toEqual([429, undefined, undefined, undefined, '10'])
    },
  },
  {
    title: '8: several policies: the binding one, and all in configuration order',
    async run(world) {
      const options = world.office({ policies: visitorAndAttraction, headers: { draft: true } })
      const replies = await firstReplies(world, options, 3)
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
      const [reply] = await firstReplies(world, options, 1)
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
    title: '13: what the application has set itself stays',
    async run(world) {
      const own = { 'X-RateLimit-Limit': '1000', 'Cache-Control': 'private' }
      const setOwn: Handler = (exchange) => {
        for (const [name, value] of Object.entries(own)) exchange.set(name, value)
      }
      const ahead = await world.limited(world.tickets(), { first: setOwn })
      const replies = [await ahead.send(), await ahead.send(), await ahead.send()]
      expect(replies.map(rowOf)).toEqual([
        [200, '1000', '1', '10', undefined],
        [200, '1000', '0', '10', undefined],
        [429, '1000', '0', '10', '10'],
      ])
      for (const { headers } of replies) expect(headers['cache-control']).toBe('private')
      const handler: Handler = (exchange) => {
        setOwn(exchange)
        exchange.send(200, 'ok')
      }
      const behind = await world.open({ limits: [world.tickets()], routes: [{ handler }] })
      expect(rowOf(await behind.send({ by: 'eve' }))).toEqual([200, '1000', '1', '10', undefined])
    },
  },
  {
    title: '13: so does its own field in front of two limiters',
    async run(world) {
      const first: Handler = ({ set }) => set('RateLimit', '"mine";r=5')
      const limits = [
        world.tickets({ name: 'a', headers: { draft: true } }),
        world.tickets({ name: 'b', headers: { draft: true } }),
      ]
      const client = await world.open({ first, limits })
      const { headers } = await client.send()
      expect(headers.ratelimit).toBe('"mine";r=5')
      expect(headers['ratelimit-policy']).toBe('"a";q=2;w=10, "b";q=2;w=10')
    },
  },
  {
    title: '14: streams, 304 and redirects carry the fields',
    async run(world) {
      const limits = [world.tickets({ policy: fixedWindow({ limit: 9, window: '10s' }) })]
      const handlers: { [path: string]: Handler } = {
        '/stream': ({ send }) => send(200, Readable.from(['to', 'ge', 'ther'])),
        '/same': ({ send }) => send(304),
        '/elsewhere': ({ set, send }) => {
          set('Location', '/tickets')
          send(302)
        },
      }
      const routes = Object.entries(handlers).map(([path, handler]) => ({ path, handler }))
      const client = await world.open({ limits, routes })
      // biome-ignore format: a table
      const rows = [
        // path         status  body        remaining
        ['/stream',     200,    'together', '8'],
        ['/same',       304,    '',         '7'],
        ['/elsewhere',  302,    '',         '6'],
      ] as const
      for (const [path, status, body, remaining] of rows) {
        const reply = await client.send({ path })
        expect([reply.status, reply.body, rowOf(reply)[2]]).toEqual([status, body, remaining])
      }
    },
  },
  {
    title: '15: an answer that fails after admission keeps the fields',
    async run(world) {
      const failures: { [path: string]: Handler } = {
        '/throws': () => {
          throw new Error('broken')
        },
        '/rejects': async () => {
          throw new Error('broken')
        },
      }
      const routes = Object.entries(failures).map(([path, handler]) => ({ path, handler }))
      const client = await world.open({ limits: [world.tickets({ headers: { draft: true } })], routes })
      // biome-ignore format: a table
      const rows = [
        // path       status  limit  remaining  reset  retry-after
        ['/throws',   500,    '2',   '1',       '10',  undefined],
        ['/rejects',  500,    '2',   '0',       '10',  undefined],
        ['/throws',   429,    '2',   '0',       '10',  '10'],
      ] as const
      for (const [path, ...told] of rows) {
        const reply = await client.send({ path })
        expect(rowOf(reply)).toEqual(told)
        expect(reply.headers.ratelimit).toBe(`"tickets";r=${told[2]};t=10`)
      }
    },
  },
  {
    title: "15: an error's own status and fields stay beside them",
    async run(world) {
      const handler: Handler = () => {
        throw Object.assign(new Error('later'), {
          status: 503,
          statusCode: 503,
          headers: { 'retry-after': '30' },
        })
      }
      const client = await world.open({ limits: [world.tickets()], routes: [{ handler }] })
      expect(rowOf(await client.send())).toEqual([503, '2', '1', '10', '30'])
    },
  },
  {
    title: '16: no field about other origins',
    async run(world) {
      const client = await world.limited(world.tickets())
      for (const method of ['GET', 'OPTIONS', 'GET']) {
        const { headers } = await client.send({ method, headers: { Origin: 'https://example.com' } })
        expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
      }
    },
  },
  {
    title: '17: HEAD refused: the fields and no body',
    async run(world) {
      const client = await world.limited(world.tickets())
      await client.crowd(2)
      const reply = await client.send({ method: 'HEAD' })
      expect(rowOf(reply)).toEqual([429, '2', '0', '10', '10'])
      expect(reply.headers['content-type']).toBe('application/problem+json')
      expect(reply.body).toBe('')
    },
  },
  {
    title: '18: a shadow policy says nothing, and observers are told',
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
        expect([reply.status, reply.body, toldBy(reply)]).toEqual([200, 'true', []])
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
      const replies = await firstReplies(world, options, 3)
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
  {
    title: '19: a window below a second',
    async run(world) {
      const options = world.tickets({
        policy: fixedWindow({ limit: 2, window: '500ms' }),
        headers: { draft: true },
      })
      const client = await world.limited(options)
      await client.crowd(2)
      await world.clock.advance('380ms')
      const reply = await client.send()
      expect(rowOf(reply)).toEqual([429, '2', '0', '1', '1'])
      expect([reply.headers['ratelimit-policy'], reply.headers.ratelimit]).toEqual([
        '"tickets";q=2',
        '"tickets";r=0;t=1',
      ])
    },
  },
  {
    title: 'the told wait of a bucket: refused, exactly that long later allowed, a microsecond earlier not',
    async run(world) {
      const client = await world.limited(world.tickets({ policy: gcra({ count: 4, period: '10s' }) }))
      await client.crowd(4)
      // biome-ignore format: a table
      const rows = [
        // advance ms  status  limit  remaining  reset  retry-after
        [0,            429,    '4',   '0',       '10',  '3'],
        [2499.999,     429,    '4',   '0',       '8',   '1'],
        [0.001,        200,    '4',   '0',       '10',  undefined],
      ] as const
      for (const [advance, ...told] of rows) {
        await world.clock.advance(advance)
        expect(rowOf(await client.send())).toEqual(told)
      }
    },
  },
]
