import { expect } from '@jest/globals'
import { createLimiter, fixedWindow } from '@sluice/core'
import { caught } from './caught.ts'
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
        const places: { readonly [name: string]: object } = {
          key: { key: fail },
          'key later': { key: async () => fail() },
          cost: { cost: fail },
          skip: { skip: fail },
          policy: { policy: fail },
          note: { note: fail },
        }
        for (const [place, functions] of Object.entries(places)) {
          const errors = await caught(world, { ...world.tickets({ name: place }), ...functions } as Options) // one differs
          expect(errors.map((error) => [error instanceof Error, (error as Error).cause])).toEqual(
            Array(3).fill([true, thrown]),
          )
        }
        expect(world.handled).toBe(0)
        for (const onRefused of [fail, async () => fail()]) {
          const name = onRefused === fail ? 'at once' : 'later'
          expect(await caught(world, world.tickets({ name, onRefused }))).toHaveLength(1)
        }
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
      for (const [i, answer] of answers.entries()) {
        for (const later of [false, true]) {
          const onRefused = (later ? async () => answer : () => answer) as Options['onRefused'] // programs without types
          world.handled = 0
          const errors = await caught(world, world.tickets({ name: `${i} ${later}`, onRefused }))
          expect([answer, errors.length, world.handled]).toEqual([answer, 1, 2])
          expect(String(errors[0])).toMatch(/^TypeError: onRefused/)
        }
      }
    },
  },
  {
    title: 'a cost that is none: the error handler',
    async run(world) {
      for (const cost of [-1, 0.5, Number.NaN, '2', { visitor: 1 }]) {
        expect(await caught(world, world.tickets({ cost: (() => cost) as never }))).toHaveLength(3)
      }
      expect(world.handled).toBe(0)
    },
  },
  {
    title: 'a policy function that answers no policy: the error handler',
    async run(world) {
      for (const policy of [undefined, null, 'free', { limit: 5 }, Symbol('free'), fixedWindow]) {
        const errors = await caught(world, world.tickets({ policy: (() => policy) as never }))
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
