import { expect } from '@jest/globals'
import { fixedWindow } from '@sluice/core'
import type { Scenario } from './scenario.ts'
import type { Handler } from './site.ts'
import { rowOf } from './world.ts'

const broken = new Error('shared')

/** However the application fails. */
export const failures: readonly Scenario[] = [
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
      for (const [path, ...expected] of rows) {
        const reply = await client.send({ path })
        expect(rowOf(reply)).toEqual(expected)
        expect(reply.headers.ratelimit).toBe(`"tickets";r=${expected[2]};t=10`)
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
    title: 'a handler that throws a text: its own error, not a crash',
    async run(world) {
      const handler: Handler = () => {
        throw 'broken'
      }
      const client = await world.open({ limits: [world.tickets()], routes: [{ handler }] })
      expect((await client.send()).status).toBe(500)
      expect((await client.send()).status).toBe(500)
      expect((await client.send()).status).toBe(429)
    },
  },
  {
    title: 'one error object for many requests: each answer carries its own numbers',
    async run(world) {
      const handler: Handler = () => {
        throw broken
      }
      const limits = [world.tickets({ policy: fixedWindow({ limit: 9, window: '10s' }) })]
      const client = await world.open({ limits, routes: [{ handler }] })
      const left: unknown[] = []
      for (const by of ['bob', 'bob', 'eve', 'bob']) left.push(rowOf(await client.send({ by }))[2])
      expect(left).toEqual(['8', '7', '8', '6'])
    },
  },
  {
    title: 'an error that cannot be changed is thrown as it is',
    async run(world) {
      const frozen = Object.freeze(new Error('frozen'))
      const errors: unknown[] = []
      const handler: Handler = () => {
        throw frozen
      }
      const client = await world.open({
        limits: [world.tickets()],
        routes: [{ handler }],
        onError: (error, { send }) => {
          errors.push(error)
          send(500, 'caught')
        },
      })
      expect((await client.send()).body).toBe('caught')
      expect(errors).toEqual([frozen])
    },
  },
]
