import { expect } from '@jest/globals'
import type { Scenario } from './scenario.ts'
import type { Options } from './site.ts'
import { type PolicyOptions, rowOf, signal } from './world.ts'

/** Every function of the options that a request meets before it is counted. */
const failing = {
  key: (fail: () => unknown): Partial<Options> => ({ key: fail as never }),
  cost: (fail: () => unknown): Partial<Options> => ({ cost: fail as never }),
  skip: (fail: () => unknown): Partial<Options> => ({ skip: fail as never }),
  policy: (fail: () => unknown): Partial<Options> => ({ policy: fail as never }),
  note: (fail: () => unknown): Partial<Options> => ({ note: fail as never }),
}

/** Functions of the request, the key first of all: awaited, and never a way past the limit. */
export const keyFunctions: readonly Scenario[] = [
  {
    title: '35: an async key is awaited',
    async run(world) {
      const key: PolicyOptions['key'] = async (
        _: object,
        view: { header(name: string): string | undefined },
      ) => {
        await new Promise((resolve) => setImmediate(resolve))
        return view.header('x-key')
      }
      const client = await world.limited(world.tickets({ key }))
      const replies = [
        await client.send(),
        await client.send(),
        await client.send(),
        await client.send({ by: 'eve' }),
      ]
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 429, 200])
    },
  },
  {
    title: '35: an async key is awaited where a library such as zone.js has replaced Promise',
    async run(world) {
      const key: PolicyOptions['key'] = async () => 'bob'
      const { Promise: own } = globalThis
      // What async functions return is none of these.
      globalThis.Promise = class Another<T> extends own<T> {}
      try {
        const client = await world.limited(world.tickets({ key }))
        const replies = [await client.send(), await client.send(), await client.send()]
        expect(replies.map(({ status }) => status)).toEqual([200, 200, 429])
      } finally {
        globalThis.Promise = own
      }
    },
  },
  ...Object.entries(failing).flatMap(([name, broken]): Scenario[] => [
    {
      title: `35, 40: a ${name} function that throws or rejects: the error handler, never unlimited`,
      async run(world) {
        const ways = {
          throws: () => {
            throw new Error('no answer')
          },
          rejects: async () => {
            throw new Error('no answer')
          },
        }
        for (const [way, fail] of Object.entries(ways)) {
          const errors: unknown[] = []
          const options = { ...world.tickets({ name: way }), ...broken(fail) } as Options // one function differs
          const client = await world.limited(options, {
            onError: (error, { send }) => {
              errors.push(error)
              send(500, 'caught')
            },
          })
          for (let i = 0; i < 3; i++)
            expect(await client.send()).toMatchObject({ status: 500, body: 'caught' })
          expect(errors.map(String)).toEqual(Array(3).fill('Error: no answer'))
          const unhandled = await world.limited(options)
          expect((await unhandled.send()).status).toBe(500)
        }
        expect(world.handled).toBe(0)
      },
    },
  ]),
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
]
