import { expect } from '@jest/globals'
import { createLimiter, fixedWindow } from '@sluice/core'
import { unguarded } from './faults.ts'
import type { Scenario } from './scenario.ts'
import type { Handler, Options } from './site.ts'
import { type PolicyOptions, rowOf, signal, twoIn10s, type World } from './world.ts'

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

/** Sends three requests and answers what the error handler got. */
async function caught(world: World, options: Options): Promise<readonly unknown[]> {
  const errors: unknown[] = []
  const client = await world.limited(options, {
    onError: (error, { send }) => {
      errors.push(error)
      send(500, 'caught')
    },
  })
  for (let i = 0; i < 3; i++) await client.send()
  return errors
}

/** Options that cannot be meant, and the path that the error names. */
const wrong: readonly (readonly [object, string])[] = [
  [{ policy: undefined }, 'policies'],
  [{ policy: 'gcra' }, 'policy'],
  [{ policy: undefined, policies: {} }, 'policies'],
  [{ policy: undefined, policies: { visitor: 5 } }, 'policies.visitor'],
  [{ policies: { visitor: twoIn10s } }, 'policies'],
  [{ key: 'ip' }, 'key'],
  [{ cost: -1 }, 'cost'],
  [{ cost: 1.5 }, 'cost'],
  [{ cost: '2' }, 'cost'],
  [{ cost: null }, 'cost'],
  [{ cost: { defualt: 2 } }, 'cost.defualt'],
  [{ cost: { default: -2 } }, 'cost.default'],
  [{ note: 'text' }, 'note'],
  [{ skip: true }, 'skip'],
  [{ settle: 0 }, 'settle'],
  [{ onRefused: 'reject' }, 'onRefused'],
  [{ allowList: '10.0.0.0/8' }, 'allowList'],
  [{ allowList: ['10.0.0.1/8'] }, 'allowList[0]'],
  [{ denyList: ['::1', 'localhost'] }, 'denyList[1]'],
  [{ refuseBy: 'throw' }, 'refuseBy'],
  [{ headers: true }, 'headers'],
  [{ headers: { x: 'ms' } }, 'headers.x'],
  [{ headers: { draft: 8 } }, 'headers.draft'],
  [{ headers: { drafts: true } }, 'headers.drafts'],
  [{ ipv6Prefix: 0 }, 'ipv6Prefix'],
  [{ ipv6Prefix: 129 }, 'ipv6Prefix'],
  [{ ipv6Prefix: '64' }, 'ipv6Prefix'],
  [{ name: '' }, 'name'],
  [{ store: {} }, 'store'],
  [{ charge: 'all' }, 'charge'],
  [{ shadow: 'yes' }, 'shadow'],
  [{ shadow: { defualt: true } }, 'shadow.defualt'],
  [{ onStoreFailure: 'open' }, 'onStoreFailure'],
  [{ observers: {} }, 'observers'],
  [{ logger: {} }, 'logger'],
  [{ keyGenerator: () => 'bob' }, 'keyGenerator'],
  [{ max: 100 }, 'max'],
]

const broken = new Error('shared')

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
    title: 'a settle that throws or rejects: the charge stays, one warning',
    async run(world) {
      const fail = () => {
        throw new Error('no price')
      }
      for (const settle of [fail, async () => fail()]) {
        const client = await world.limited(world.tickets({ name: `settle ${settle === fail}`, settle }))
        const replies = [await client.send(), await client.send(), await client.send()]
        expect(replies.map(({ status }) => status)).toEqual([200, 200, 429])
        await new Promise((resolve) => setImmediate(resolve))
        expect(world.takeWarnings()).toEqual(['SLUICE_SETTLE_FAILED'])
      }
    },
  },
  {
    title: 'a key that is an object of a class: an error, not a count under the address',
    async run(world) {
      class Id {
        readonly #id = 7
        toString(): string {
          return String(this.#id)
        }
      }
      for (const key of [
        new Id(),
        new Date(0),
        new Map(),
        Buffer.from('bob'),
        true,
        Symbol('bob'),
        Number.NaN,
        () => 'bob',
      ]) {
        const errors = await caught(world, world.tickets({ key: (() => key) as never }))
        expect([String(key), errors.map((error) => (error as Error).name)]).toEqual([
          String(key),
          Array(3).fill('TypeError'),
        ])
      }
      expect([world.handled, world.store.health?.().keys]).toEqual([0, 0])
    },
  },
  {
    title: 'a key for a policy that there is not: an error that names it',
    async run(world) {
      const errors = await caught(world, world.tickets({ key: (() => ({ visitor: 'bob' })) as never }))
      expect(errors.map((error) => (error as { path?: string }).path)).toEqual(
        Array(3).fill('subject.visitor'),
      )
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
      for (const policy of [undefined, 'free', { limit: 5 }]) {
        expect(await caught(world, world.tickets({ policy: (() => policy) as never }))).toHaveLength(3)
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
    title: 'an answer that has begun: nothing of it is touched, and past the limit nobody goes on',
    async run(world) {
      const client = await world.limited(world.tickets(), {
        first: ({ raw }) => {
          raw.writeHead(200, { 'Content-Type': 'text/event-stream' })
          raw.write('begun ')
        },
        routes: [
          {
            path: '/tickets',
            limits: [],
            handler: ({ raw }) => {
              world.handled++
              raw.end('and ended')
            },
          },
        ],
      })
      for (let i = 0; i < 2; i++) {
        const reply = await client.send()
        expect([reply.status, reply.body, rowOf(reply)[1]]).toEqual([200, 'begun and ended', undefined])
      }
      await expect(client.send()).rejects.toThrow()
      expect(world.handled).toBe(2)
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
  ...wrong.map(([more, path]): Scenario => {
    return {
      title: `options: ${JSON.stringify(more, (_, value) => (typeof value === 'function' ? 'a function' : value))} is an error about ${path}`,
      async run(world) {
        await expect(world.limited({ ...world.tickets(), ...more } as Options)).rejects.toMatchObject({
          code: 'SLUICE_OPTION',
          path,
        })
      },
    }
  }),
  {
    title: 'options: a ready limiter brings its own settings',
    async run(world) {
      const limiter = createLimiter({ policy: twoIn10s, ...world.quiet() })
      world.later(() => limiter.close())
      // biome-ignore format: a table
      const rows = [
        [{ limiter, name: 'mine' },            'name'],
        [{ limiter, policy: twoIn10s },        'policy'],
        [{ limiter, shadow: true },            'shadow'],
        [{ limiter: {} },                      'limiter'],
        [{ limiter: 'redis' },                 'limiter'],
        [{ limiter, cost: { visitor: 1 } },    'cost.visitor'],
      ] as const
      for (const [options, path] of rows) {
        await expect(world.limited(options as Options)).rejects.toMatchObject({ code: 'SLUICE_OPTION', path })
      }
      const client = await world.limited({ limiter, key: () => 'bob' })
      expect(rowOf(await client.send())).toEqual([200, '2', '1', '10', undefined])
      expect((await limiter.peek('bob')).remaining).toBe(1)
    },
  },
  {
    title: 'options: two limiters of one name with other policies on one store ask for a name',
    async run(world) {
      const other = world.tickets({ policy: fixedWindow({ limit: 9, window: '1m' }) })
      const opened = world.open({ limits: [world.tickets(), other] })
      await expect(opened).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: 'name' })
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
  {
    title: 'a slow key lets others pass meanwhile, and each request has its own',
    async run(world) {
      const release = signal()
      const key: PolicyOptions['key'] = async (
        _: object,
        view: { header(name: string): string | undefined },
      ) => {
        const by = view.header('x-key')
        if (by === 'slow') await release.promise
        return by
      }
      const client = await world.limited(world.tickets({ key }))
      const slow = client.send({ by: 'slow' })
      expect((await client.send({ by: 'quick' })).status).toBe(200)
      release.done()
      expect(rowOf(await slow)).toEqual([200, '2', '1', '10', undefined])
    },
  },
  unguarded,
]
