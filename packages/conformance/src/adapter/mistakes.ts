import { expect } from '@jest/globals'
import { createLimiter, fixedWindow } from '@sluice/core'
import { bothWays, caught, caughtEach } from './caught.ts'
import { unguarded } from './faults.ts'
import type { Scenario } from './scenario.ts'
import type { Options } from './site.ts'
import { twoIn10s } from './world.ts'

/** What programs throw that is no error: to frameworks some of it means "go on". */
const noErrors: { readonly [name: string]: unknown } = {
  undefined: undefined,
  null: null,
  "'route'": 'route',
  "'router'": 'router',
  'a text': 'broken',
  'a number': 200,
  'an object': { status: 200, message: 'fine' },
  'a frozen object': Object.freeze({ code: 1 }),
}

/** Functions of the options that fail, or whose answers make no sense. */
export const mistakes: readonly Scenario[] = [
  ...Object.entries(noErrors).map(([name, thrown]): Scenario => {
    return {
      title: `functions that throw ${name}: an error for the error handler, and nobody gets in`,
      async run(world) {
        const fail = () => {
          throw thrown
        }
        const three = Array(3).fill([true, thrown])
        const seen = (errors: readonly unknown[]) =>
          errors.map((error) => [error instanceof Error, (error as Error).cause])
        for (const key of [fail, async () => fail()]) {
          const name = key === fail ? 'key' : 'key later'
          expect(seen(await caught(world, world.tickets({ name, key })))).toEqual(three)
        }
        const places: readonly object[] = [{ cost: fail }, { skip: fail }, { policy: fail }, { note: fail }]
        const failing = places.map((functions, i) => ({ ...world.tickets({ name: `${i}` }), ...functions }))
        for (const errors of await caughtEach(world, failing as Options[]))
          expect(seen(errors)).toEqual(three)
        expect(world.handled).toBe(0)
        const refusing = [fail, async () => fail()].map((onRefused, i) =>
          world.tickets({ name: `refused ${i}`, onRefused }),
        )
        for (const errors of await caughtEach(world, refusing)) expect(errors).toHaveLength(1)
        expect(world.handled).toBe(4)
        const unhandled = await world.limited(world.tickets({ name: 'unhandled', key: fail }))
        expect((await unhandled.send()).status).toBe(500)
      },
    }
  }),
  {
    title: 'an onRefused that answers no refusal: the error handler',
    async run(world) {
      const good = { status: 429, type: 'text/plain', body: 'no' }
      const answers: unknown[] = [
        true,
        'no',
        429,
        {},
        { ...good, status: '429' },
        { ...good, status: 42 },
        { ...good, status: 1000 },
        { ...good, type: undefined },
        { ...good, type: 'text/plain\r\nX-Evil: 1' },
        { ...good, body: { error: 'no' } },
        { ...good, body: null },
      ]
      const all = answers.flatMap(bothWays).map(
        (onRefused, i) => world.tickets({ name: `${i}`, onRefused: onRefused as Options['onRefused'] }), // programs without types
      )
      for (const [i, errors] of (await caughtEach(world, all)).entries()) {
        expect([i, errors.length]).toEqual([i, 1])
        expect(String(errors[0])).toMatch(/^TypeError: onRefused/)
      }
      expect(world.handled).toBe(2 * all.length)
      const ofSite = world.tickets({ name: 'of the site', onRefused: () => 'no' as never })
      expect(await caught(world, ofSite)).toHaveLength(1)
    },
  },
  {
    title: 'a cost that is none: the error handler',
    async run(world) {
      const costs = [-1, 0.5, Number.NaN, '2', { visitor: 1 }]
      const all = costs.map((cost, i) => world.tickets({ name: `${i}`, cost: (() => cost) as never }))
      for (const errors of await caughtEach(world, all)) expect(errors).toHaveLength(3)
      expect(world.handled).toBe(0)
    },
  },
  {
    title: 'a policy function that answers no policy: the error handler',
    async run(world) {
      const answers = [undefined, null, 'free', { limit: 5 }, Symbol('free'), fixedWindow]
      const all = answers.map((policy, i) => world.tickets({ name: `${i}`, policy: (() => policy) as never }))
      for (const errors of await caughtEach(world, all)) {
        expect(errors).toHaveLength(3)
        expect(errors[0]).toMatchObject({ code: 'SLUICE_OPTION', path: 'policy' })
        expect(String(errors[0])).toContain('expected a policy, or notApplicable where no limit is meant')
      }
      expect(world.handled).toBe(0)
    },
  },
  {
    title: 'what is no Promise but can be awaited is awaited',
    async run(world) {
      const soon = <T>(value: T) => ({
        // biome-ignore lint/suspicious/noThenProperty: it is what the test is about
        then: (resolve: (value: T) => void) => setImmediate(() => resolve(value)),
      })
      const refusal = { status: 420, type: 'text/plain', body: 'calm' }
      const functions = {
        key: () => soon('bob'),
        cost: () => soon(1),
        skip: () => soon(false),
        onRefused: () => soon(refusal),
      }
      for (const only of [['key', 'onRefused'], Object.keys(functions)]) {
        const chosen = Object.fromEntries(Object.entries(functions).filter(([name]) => only.includes(name)))
        const client = await world.limited({ ...world.tickets({ name: String(only) }), ...chosen } as Options) // thenables
        const replies = [await client.send(), await client.send({ by: 'eve' }), await client.send()]
        expect(replies.map(({ status }) => status)).toEqual([200, 200, 420])
      }
    },
  },
  {
    title: 'somebody else has closed the limiter: requests are still decided',
    async run(world) {
      const limiter = createLimiter({ policy: twoIn10s, ...world.quiet() })
      const client = await world.limited({ limiter, key: () => 'bob' })
      await limiter.close()
      expect((await client.crowd(3)).map(({ status }) => status).sort()).toEqual([200, 200, 429])
    },
  },
  {
    title: 'a decider that rejects: the error handler',
    async run(world) {
      const check = async () => {
        throw new Error('no tree')
      }
      const errors = await caught(world, { limiter: { name: 'tree', check }, key: () => 'bob' })
      expect(errors.map(String)).toEqual(Array(3).fill('Error: no tree'))
    },
  },
  {
    title: 'observers and loggers that throw do no harm',
    async run(world) {
      const fail = () => {
        throw new Error('observer')
      }
      const options = world.tickets({
        observers: [{ decided: fail, warned: fail }],
        logger: { warn: fail, error: fail },
      })
      const client = await world.limited(options)
      const replies = [
        await client.send({ headers: { 'X-Forwarded-For': '192.0.2.1' } }),
        await client.send(),
        await client.send(),
      ]
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 429])
      world.takeWarnings()
    },
  },
  unguarded,
]
