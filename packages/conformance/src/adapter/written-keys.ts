import { expect } from '@jest/globals'
import { createLimiter, fixedWindow, type Key, notApplicable, type Policy } from '@sluice/core'
import { guardUpgrade } from '@sluice/http'
import { loadLimits } from '@sluice/limits'
import { bothWays, caughtEach } from './caught.ts'
import type { Client } from './client.ts'
import { exchange, headsOf, upgradeRequest } from './raw.ts'
import type { Scenario } from './scenario.ts'
import type { Options } from './site.ts'
import { type PolicyOptions, rowOf, twoIn10s, type World } from './world.ts'

const tenIn10s = fixedWindow({ limit: 10, window: '10s' })
const code = 'SLUICE_KEY_NOT_USABLE'

/** What a JSON body may say where a program looks for an e-mail address. `zqx` is the client's, and belongs into no warning. */
const noKeys: readonly string[] = [
  '{"default":null}',
  '{"default":"zqx"}',
  '{"default":{"default":"zqx"}}',
  '{"zqx":"zqx"}',
  '{}',
  'true',
  'false',
  '[null]',
  '["zqx",null]',
  '["zqx",{"toString":"zqx"}]',
  '[["zqx"]]',
  '{"length":1,"0":"zqx"}',
  '{"then":"zqx","toString":null}',
  '{"__proto__":{"default":null},"constructor":{"name":"zqx"}}',
]
/** What a client may take for the count of those without a key: names that look like it, and lists that are joined to such. */
const likeNobody: readonly string[] = [
  '"127.0.0.1"',
  '"keyless:127.0.0.1"',
  '["keyless:127.0.0.1","x"]',
  '["keyless","127.0.0.1"]',
  '"keyless~:127.0.0.1"',
  '["","127.0.0.1"]',
  '"keyless%3a127.0.0.1"',
  '"127.0.0.1/32"',
  '"::ffff:127.0.0.1"',
]

/** The same, where a client has left it out. */
const nothing: readonly string[] = ['null', '""', '[]', '[""]']

interface View {
  header(name: string): string | undefined
}

/** Stands for `req.body.email` in frameworks of all kinds. */
function written(view: View): Key {
  return JSON.parse(view.header('x-json') ?? 'null')
}

function from(client: Client, address: string, json: string, path = '/tickets'): Promise<number> {
  const sent = client.send({ path, headers: { 'X-Forwarded-For': address, 'X-Json': json } })
  return sent.then(({ status }) => status)
}

/** Each text from one address, and then one more from another. */
async function statuses(
  world: World,
  options: Options,
  texts: readonly string[],
): Promise<readonly number[]> {
  const client = await world.limited(options, { trust: 'one' })
  return statusesAt(client, '/tickets', texts)
}

async function statusesAt(
  client: Client,
  path: string,
  texts: readonly string[],
): Promise<readonly number[]> {
  const all: number[] = []
  for (const text of texts) all.push(await from(client, '192.0.2.1', text, path))
  return [...all, await from(client, '192.0.2.2', texts[0] ?? '', path)]
}

/** A site with a path for each of these options. */
async function pathsOf(
  world: World,
  all: readonly Options[],
): Promise<{ readonly client: Client; readonly paths: readonly string[] }> {
  const routes = all.map((options, i) => ({ path: `/tickets/${i}`, limits: [options] }))
  return { client: await world.open({ routes, trust: 'one' }), paths: routes.map(({ path }) => path) }
}

/** Two get in, whatever they say; another client is not theirs. */
function twoOf(texts: readonly string[]): readonly number[] {
  return [200, 200, ...texts.slice(2).map(() => 429), 200]
}

/** As a program of its own, beside the middleware. */
function createLimiterOf(world: World, { name, policy }: PolicyOptions): ReturnType<typeof createLimiter> {
  const limiter = createLimiter({ name, policy: policy as Policy, ...world.quiet() })
  world.later(() => limiter.close())
  return limiter
}

function noting(messages: string[]): PolicyOptions['observers'] {
  return [{ warned: ({ message }) => messages.push(message) }]
}

function record(view: View, other: Key): Record<'user' | 'ip', Key> {
  return { user: written(view), ip: other }
}

/** Keys out of what a client sends: none switches a limit off, none is an error. */
export const writtenKeys: readonly Scenario[] = [
  {
    title: '36: whatever a client writes in place of a text counts under its network, with one warning',
    async run(world) {
      const messages: string[] = []
      const options = world.tickets({ key: (_, view) => written(view), observers: noting(messages) })
      expect(await statuses(world, options, noKeys)).toEqual(twoOf(noKeys))
      expect(world.takeWarnings()).toEqual([code])
      expect(messages).toHaveLength(1)
      expect(messages[0]).toMatch(
        /^key: expected a string, a number or a list of them, or notApplicable, got an object: /,
      )
    },
  },
  {
    title: '36: null, or an object with a null for the policy, twenty times: two of twenty pass',
    async run(world) {
      for (const [i, text] of ['null', '{"default":null}'].entries()) {
        const options = world.tickets({ name: `n${i}`, key: async (_, view) => written(view) })
        const texts = Array<string>(20).fill(text)
        expect(await statuses(world, options, texts)).toEqual(twoOf(texts))
      }
      expect(world.takeWarnings()).toEqual([code])
    },
  },
  {
    title: '36: the warning names the option and the kind of what came, and never what a client wrote',
    async run(world) {
      const texts = [...noKeys, '"zqx"']
      const messages: string[] = []
      const key: Options['key'] = (_, view) => ({ user: written(view), ip: view.network })
      const policies = { user: twoIn10s, ip: twoIn10s }
      const { client, paths } = await pathsOf(
        world,
        texts.map((_, i) => world.office({ name: `n${i}`, policies, key, observers: noting(messages) })),
      )
      const kinds: string[] = []
      for (const [i, path] of paths.entries()) {
        await statusesAt(client, path, texts.slice(i, i + 1))
        const said = messages.splice(0).join()
        expect(said).not.toContain('zqx')
        kinds.push(/^key\.user: .* got (.*?): /.exec(said)?.[1] ?? '')
      }
      world.takeWarnings()
      const objects = Array(5).fill('an object')
      const lists = ['null', 'null', 'an object', 'a list'].map((kind) => `a list with ${kind} in it`)
      const flags = ['true or false', 'true or false']
      expect(kinds).toEqual([...objects, ...flags, ...lists, 'an object', 'an object', 'an object', ''])
    },
  },
  {
    title: '36: nor does it switch off one of several policies',
    async run(world) {
      const policies = { user: twoIn10s, ip: tenIn10s }
      const key: Options['key'] = (_, view) => record(view, view.network)
      const texts = [...nothing, ...noKeys].slice(0, 10)
      expect(await statuses(world, world.office({ policies, key }), texts)).toEqual(twoOf(texts))
      expect(world.takeWarnings()).toEqual([code])
    },
  },
  {
    title: '36: nor all of them, by a record in place of all keys',
    async run(world) {
      const policies = { user: twoIn10s, ip: tenIn10s }
      const key: Options['key'] = (_, view) => written(view)
      const texts = [
        'null',
        '{"user":null,"ip":null}',
        '{"usr":"zqx","ipp":"zqx"}',
        '{"user":{},"ip":[]}',
        '{"user":"","ip":null,"zqx":null}',
        '{"__proto__":{"user":"zqx"}}',
        '[{"user":null}]',
        '{}',
      ]
      const messages: string[] = []
      const options = world.office({ policies, key, observers: noting(messages) })
      expect(await statuses(world, options, texts)).toEqual(twoOf(texts))
      expect(world.takeWarnings()).toEqual([code])
      expect(messages).toEqual([expect.stringMatching(/^key: .*\("user", "ip"\), got another name: /)])
    },
  },
  {
    title: '36: objects of classes, which a parser may make of what a client sends, count under its network',
    async run(world) {
      class Id {
        toString(): string {
          return 'bob'
        }
      }
      const messages: string[] = []
      const keys = [new Id(), new Date(0), new Map(), Buffer.from('bob'), Number.NaN, Object('bob')]
      const { client, paths } = await pathsOf(
        world,
        keys.map((key, i) =>
          world.tickets({ name: `n${i}`, key: (() => key) as never, observers: noting(messages) }),
        ),
      )
      for (const path of paths)
        expect(await statusesAt(client, path, ['1', '2', '3'])).toEqual([200, 200, 429, 200])
      expect(world.takeWarnings()).toEqual(keys.map(() => code))
      expect(messages.map((message) => /got (.*?): /.exec(message)?.[1])).toEqual([
        'an object (Id)',
        'an object (Date)',
        'an object (Map)',
        'an object (Buffer)',
        'NaN',
        'an object (String)',
      ])
    },
  },
  {
    title: '36: what no client can write is a mistake of the program: the error handler, and nobody gets in',
    async run(world) {
      const answers: readonly unknown[] = [
        () => 'bob',
        Symbol('bob'),
        ['bob', Promise.resolve('bob')],
        ['bob', notApplicable],
        { visitor: Promise.resolve('bob') },
        { visitor: () => 'bob' },
      ]
      const policies = { visitor: twoIn10s, attraction: tenIn10s }
      const all = answers
        .flatMap(bothWays)
        .map((key, i) => world.office({ name: `${i}`, policies, key: key as never })) // programs without types
      for (const errors of await caughtEach(world, all)) {
        expect(errors).toHaveLength(3)
        expect(errors[0]).toMatchObject({ name: 'TypeError', code: 'SLUICE_OPTION' })
        expect((errors[0] as { path?: string }).path).toMatch(/^key(\.visitor)?$/)
      }
      expect([world.handled, world.keys]).toEqual([0, 0])
    },
  },
  {
    title: '36: notApplicable in place of all keys: nothing is counted, and no field is set',
    async run(world) {
      const policies = { visitor: twoIn10s, attraction: tenIn10s }
      const key = (_: object, view: View) => (view.header('x-key') === 'keeper' ? notApplicable : 'bob')
      const all: readonly Options[] = [
        world.tickets({ name: 'one', key }),
        world.tickets({ name: 'later', key: async (request, view) => key(request, view) }),
        world.tickets({ name: 'slow', key, cost: () => 1 }),
        world.office({ name: 'several', policies, key }),
        { limiter: createLimiter({ policy: twoIn10s, ...world.quiet(), name: 'ready' }), key },
      ]
      for (const options of all) {
        const client = await world.limited(options)
        for (let i = 0; i < 3; i++)
          expect(rowOf(await client.send({ by: 'keeper' })).slice(0, 3)).toEqual([200, undefined, undefined])
        const others = [await client.send(), await client.send(), await client.send()]
        expect(others.map(({ status }) => status)).toEqual([200, 200, 429])
      }
    },
  },
  {
    title: '44: each middleware shows by keyOf what can be reset, also where nothing applies',
    async run(world) {
      const subjects: unknown[] = []
      for (const key of [
        notApplicable,
        null,
        { visitor: null, attraction: notApplicable },
        { visitor: {} },
      ]) {
        const policies = { visitor: twoIn10s, attraction: tenIn10s }
        const options = world.office({ policies, key: (() => key) as never })
        const client = await world.open({
          limits: [options],
          routes: [
            {
              handler: async ({ request, send }) => {
                const { limiter, keyOf } = world.handleOf(options)
                const subject = await keyOf(request)
                await limiter.reset(subject)
                subjects.push(subject)
                send(200, 'ok')
              },
            },
          ],
        })
        expect((await client.send()).status).toBe(200)
      }
      world.takeWarnings()
      const network = 'keyless:127.0.0.1'
      expect(subjects).toEqual([
        { visitor: notApplicable, attraction: notApplicable },
        network,
        { visitor: network, attraction: notApplicable },
        { visitor: network, attraction: network },
      ])
    },
  },
  {
    title: 'no key that a client writes meets the count of clients without a key',
    async run(world) {
      const options = world.tickets({ key: (_, view) => written(view) })
      const client = await world.limited(options, { trust: 'one' })
      const nobody = () => from(client, '127.0.0.1', 'null')
      expect([await nobody(), await nobody(), await nobody()]).toEqual([200, 200, 429])
      for (const text of likeNobody) {
        expect([await from(client, '127.0.0.1', text), text]).toEqual([200, text])
        expect([await from(client, '192.0.2.1', text), text]).toEqual([200, text])
        expect([await from(client, '192.0.2.2', text), text]).toEqual([429, text])
      }
      expect(await nobody()).toBe(429)
      await createLimiterOf(world, options).reset('keyless:127.0.0.1')
      expect(await nobody()).toBe(200)
    },
  },
  {
    title: 'without a key function, and by view.network, a client is its network by its plain name',
    async run(world) {
      const byNetwork = world.tickets({ name: 'default', key: undefined })
      const byView = world.tickets({ name: 'view', key: (_, { network }) => network })
      const client = await world.open({ limits: [byNetwork, byView], trust: 'one' })
      const status = () => from(client, '203.0.113.7', 'null')
      expect([await status(), await status(), await status()]).toEqual([200, 200, 429])
      for (const options of [byNetwork, byView]) await createLimiterOf(world, options).reset('203.0.113.7')
      expect(await status()).toBe(200)
    },
  },
  {
    title: 'a tree of limits: what a client writes in place of a name in a path counts under its network',
    async run(world) {
      const limits = { strategy: 'fixedWindow', limit: 2, window: '10s' }
      const tree = { schema: { user: { children: { '*': { limits } } } } }
      const limiter = await loadLimits({ tree, ...world.quiet() })
      world.later(() => limiter.close())
      const key = (_: object, view: View) => ['user', written(view)]
      const texts = [...nothing, ...noKeys, '["zqx"]']
      expect(await statuses(world, { limiter, key } as unknown as Options, texts)).toEqual(twoOf(texts))
      expect(world.takeWarnings()).toEqual([code])
      const none = { limiter, key: () => notApplicable } as unknown as Options
      const client = await world.limited(none)
      expect((await client.crowd(3)).map(({ status }) => status)).toEqual([200, 200, 200])
    },
  },
  {
    title: 'an upgrade whose key is null counts under its network',
    async run(world) {
      const client = await world.open({})
      const guard = guardUpgrade({ ...world.tickets({ key: () => null }), settle: undefined })
      world.running.server.on('upgrade', async (request, socket) => {
        if (await guard(request, socket)) socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n')
      })
      const heads: (number | undefined)[] = []
      for (let i = 0; i < 3; i++) heads.push(headsOf(await exchange(client, upgradeRequest()))[0]?.status)
      expect(heads).toEqual([101, 101, 429])
    },
  },
]
