import { expect } from '@jest/globals'
import { fixedWindow, gcra } from '@sluice/core'
import { limitFieldsOf, parsed, repliesOf } from './replies.ts'
import type { Scenario } from './scenario.ts'
import { rowOf, xLimit, xRemaining, xReset } from './world.ts'

/** The fields that one limiter sends. */
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
      for (const [advance, ...expected] of rows) {
        await world.clock.advance(advance)
        const reply = await client.send()
        expect([...rowOf(reply), world.handled]).toEqual(expected)
        expect(reply.headers['cache-control']).toBe(expected[0] === 429 ? 'no-store' : undefined)
      }
    },
  },
  {
    title: '3: a refusal is the same in every framework, field by field and byte by byte',
    async run(world) {
      const [, , refused] = await repliesOf(await world.limited(world.tickets()), 3)
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
      for (const [advance, ...expected] of rows) {
        await world.clock.advance(advance)
        expect(rowOf(await client.send())).toEqual(expected)
      }
    },
  },
  {
    title: '5: epoch seconds',
    async run(world) {
      const client = await world.limited(world.tickets({ headers: { x: 'epoch-seconds' } }))
      const sentMs = Date.now()
      const { headers } = await client.send()
      const reset = Number(headers[xReset])
      expect(Number.isInteger(reset)).toBe(true)
      expect(reset).toBeGreaterThanOrEqual(Math.ceil(sentMs / 1000) + 10)
      expect(reset).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000) + 10)
    },
  },
  {
    title: '6: the draft fields beside the others',
    async run(world) {
      const replies = await repliesOf(await world.limited(world.tickets({ headers: { draft: true } })), 3)
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
      const replies = await repliesOf(
        await world.limited(world.tickets({ headers: { x: false, draft: true } })),
        3,
      )
      expect(replies.map(limitFieldsOf)).toEqual([
        ['ratelimit', 'ratelimit-policy'],
        ['ratelimit', 'ratelimit-policy'],
        ['ratelimit', 'ratelimit-policy', 'retry-after'],
      ])
    },
  },
  {
    title: '7: no fields but the wait',
    async run(world) {
      const replies = await repliesOf(await world.limited(world.tickets({ headers: false })), 3)
      expect(replies.map(limitFieldsOf)).toEqual([[], [], ['retry-after']])
      expect(replies.map(rowOf).at(-1)).toEqual([429, undefined, undefined, undefined, '10'])
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
      expect(world.takeWarnings()).toEqual(['SLUICE_SHORT_TIME'])
    },
  },
  {
    title: 'the stated wait of a bucket: refused, exactly that long later allowed, a microsecond earlier not',
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
      for (const [advance, ...expected] of rows) {
        await world.clock.advance(advance)
        expect(rowOf(await client.send())).toEqual(expected)
      }
    },
  },
]
