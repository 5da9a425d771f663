import { describe, expect, it } from '@jest/globals'
import { fixedWindow, notApplicable } from '@sluice/core'
import * as bun from '../src/bun.ts'
import * as deno from '../src/deno.ts'
import * as hono from '../src/hono.ts'
import * as bare from '../src/index.ts'
import * as next from '../src/next.ts'
import * as sveltekit from '../src/sveltekit.ts'
import * as workers from '../src/workers.ts'

const policy = fixedWindow({ limit: 1, window: '10s' })
const zoo = (headers: Record<string, string> = {}) => new Request('http://zoo/tickets', { headers })

describe('Bun', () => {
  const server = { requestIP: () => ({ address: '192.0.2.1', port: 1, family: 'IPv4' }), port: 3000 }

  it('counts by the address that its server knows', async () => {
    const limit = bun.rateLimit({ policy })
    expect(await limit.keyOf(zoo(), server)).toBe('192.0.2.1')
    expect(await limit.keyOf(zoo(), { requestIP: () => null })).toBe('unknown')
  })

  it('answers a client as gone whose connection was reset, and one on a unix socket as any other', async () => {
    const answerOf = async (port: number | undefined) => {
      const limit = bun.rateLimit({ policy, denyList: ['192.0.2.1'], logger: { warn() {}, error() {} } })
      const answer = limit((_request, _server: bun.BunServer) => new Response())
      return (await answer(zoo(), { requestIP: () => null, port })).status
    }
    expect(await answerOf(3000)).toBe(499)
    expect(await answerOf(undefined)).toBe(200)
  })

  it('hands on what its handler gets, and returns nothing where that has upgraded', async () => {
    const limit = bun.rateLimit({ policy })
    const upgraded = limit((_request, { port }: typeof server) =>
      port === 3000 ? undefined : new Response(),
    )
    expect(await upgraded(zoo(), server)).toBe(undefined)
    expect((await upgraded(zoo(), server))?.status).toBe(429)
  })

  it('takes an address of your own instead', async () => {
    const limit = bun.rateLimit({
      policy,
      ip: (request) => request.headers.get('cf-connecting-ip') ?? undefined,
    })
    expect(await limit.keyOf(zoo({ 'CF-Connecting-IP': '198.51.100.1' }), server)).toBe('198.51.100.1')
  })
})

describe('an address of your own', () => {
  const logger = { warn() {}, error() {} }
  const limitBy = (ip: (request: Request) => unknown) =>
    bare.rateLimit({ policy, logger, ip: ip as () => string | undefined })

  it('is none where its header is not there', async () => {
    const limit = limitBy(({ headers }) => headers.get('cf-connecting-ip'))
    expect(await limit.keyOf(zoo({ 'cf-connecting-ip': '192.0.2.1' }))).toBe('192.0.2.1')
    expect(await limit.keyOf(zoo())).toBe('unknown')
  })

  // biome-ignore format: a table
  it.each<[() => unknown, string]>([
    // what ip returns               what the error says of it
    [async () => '192.0.2.1',        'an object (Promise)'],
    [() => 7,                        '7 (number)'],
    [() => ['192.0.2.1'],            'a list of 1'],
  ])('is a string: %p', async (ip, got) => {
    const answer = limitBy(ip)(() => new Response())
    await expect(answer(zoo())).rejects.toThrow(
      `ip: expected a function that returns a string, or undefined where there is no address, got ${got}`,
    )
  })
})

it('Deno: counts by the address of its info, which a unix socket has not', async () => {
  const limit = deno.rateLimit({ policy })
  const tcp = {
    remoteAddr: { transport: 'tcp', hostname: '192.0.2.2', port: 1 },
    completed: Promise.resolve(),
  }
  expect(await limit.keyOf(zoo(), tcp)).toBe('192.0.2.2')
  expect(await limit.keyOf(zoo(), { remoteAddr: { transport: 'unix', path: '/zoo' } })).toBe('unknown')
  const answer = limit((_request, info: typeof tcp) => new Response(info.remoteAddr.hostname))
  expect(await (await answer(zoo(), tcp)).text()).toBe('192.0.2.2')
})

it('Workers: counts by the field that Cloudflare writes, and hands on environment and context', async () => {
  const limit = workers.rateLimit({ policy })
  expect(await limit.keyOf(zoo({ 'CF-Connecting-IP': '2001:db8::1' }))).toBe('2001:db8::/64')
  expect(await limit.keyOf(zoo())).toBe('unknown')
  const answer = limit((_request, env: { hello: string }, ctx: object) =>
    Response.json([env.hello, typeof ctx]),
  )
  expect(await (await answer(zoo(), { hello: 'zoo' }, {})).json()).toEqual(['zoo', 'object'])
})

it('Workers: no request can wait, as none can wake another', () => {
  // @ts-expect-error: no such option there
  expect(() => workers.rateLimit({ policy, maxWait: '1s' })).toThrow(
    'maxWait: expected nothing here, as no request of a worker can wake another, got "1s" (string)',
  )
})

describe('Next.js', () => {
  const options = { policy, ip: () => undefined, proxies: 1 } as const

  it('a proxy goes on with the fields, or refuses', async () => {
    const proxy = next.rateLimit(options)()
    const from = zoo({ 'X-Forwarded-For': '192.0.2.3' })
    const first = await proxy(from)
    expect([first.headers.get('x-middleware-next'), first.headers.get('x-ratelimit-remaining')]).toEqual([
      '1',
      '0',
    ])
    const second = await proxy(zoo({ 'X-Forwarded-For': '192.0.2.3' }))
    expect([second.status, second.headers.has('x-middleware-next')]).toEqual([429, false])
  })

  it('a route handler gets its context', async () => {
    const limit = next.rateLimit(options)
    const get = limit((_request, context: { params: Promise<{ animal: string }> }) =>
      context.params.then(({ animal }) => new Response(animal)),
    )
    const answer = await get(zoo(), { params: Promise.resolve({ animal: 'tiger' }) })
    expect(await answer.text()).toBe('tiger')
    expect(limit.limiter.policies.default).toBe(policy)
  })
})

describe('SvelteKit', () => {
  const eventOf = (more: Partial<sveltekit.KitEvent> = {}): sveltekit.KitEvent => ({
    request: zoo(),
    route: { id: '/zoo/[animal]' },
    isSubRequest: false,
    locals: {},
    getClientAddress: () => '192.0.2.4',
    ...more,
  })
  const resolve = () => new Response('hello')

  it('limits what is asked from outside, by address and route, with the decision on the locals', async () => {
    const routes: unknown[] = []
    const handle = sveltekit.rateLimit({
      policy,
      key: (_event, view) => {
        routes.push(view.route)
        return view.network
      },
    })
    const event = eventOf()
    const first = await handle({ event, resolve })
    expect([first.status, await first.text(), event.locals.rateLimit?.remaining]).toEqual([200, 'hello', 0])
    expect((await handle({ event: eventOf({ isSubRequest: true }), resolve })).status).toBe(200)
    expect((await handle({ event: eventOf({ route: { id: null } }), resolve })).status).toBe(429)
    expect(routes).toEqual(['/zoo/[animal]', undefined])
    expect(await handle.keyOf(event)).toBe('192.0.2.4')
  })

  it('two of a sequence, which hands a copy of the event to each: the fields of both', async () => {
    const outer = sveltekit.rateLimit({ policy, name: 'outer', headers: { draft: true } })
    const inner = sveltekit.rateLimit({ policy, name: 'inner', headers: { draft: true } })
    const event = eventOf()
    const copy = { ...event }
    const response = await outer({ event, resolve: () => inner({ event: copy, resolve }) })
    expect(response.headers.get('ratelimit')).toBe('"outer";r=0;t=10, "inner";r=0;t=10')
    expect([inner.decisionFor(event)?.limiter, await inner.keyOf(copy)]).toEqual(['inner', '192.0.2.4'])
  })

  it('what resolve throws goes on, with the fields', async () => {
    const broken = () => Promise.reject(new Error('broken'))
    await expect(
      sveltekit.rateLimit({ policy })({ event: eventOf(), resolve: broken }),
    ).rejects.toMatchObject({
      message: 'broken',
      headers: { 'x-ratelimit-remaining': '0' },
    })
  })
})

/** What the compiler must take; all of it is built once as well. */
function taken(): readonly unknown[] {
  const many = bare.rateLimit({
    policies: {
      visitor: policy,
      attraction: (request) => (request.method === 'GET' ? policy : notApplicable),
    },
    ip: (_request, info: { readonly address: string }) => info.address,
    key: (request, view) => ({ visitor: view.network, attraction: request.headers.get('x-animal') }),
    cost: { attraction: 2 },
  })
  const plain = bare.rateLimit({ policy, ip: () => undefined })
  const own: 'visitor' | 'attraction' | undefined = many.decisionFor(zoo())?.policy
  return [
    own,
    many((_request, info) => new Response(info.address)),
    many(async (_request, _info, _more: number) => new Response()),
    plain((_request: Request & { readonly params?: object }) => new Response()),
    plain(() => new Response()),
    hono.rateLimit({ policy, ip: (c) => c.req.header('x-real-ip'), key: (c) => c.req.path, settle: () => 0 }),
  ]
}

/** What the compiler must refuse. */
function refused(): void {
  // @ts-expect-error: where the address is found is asked for
  bare.rateLimit({ policy })
}

const nullIp = { policy, ip: null } as object as never

it.each([
  ['bun', () => bun.rateLimit(nullIp)],
  ['deno', () => deno.rateLimit(nullIp)],
  ['sveltekit', () => sveltekit.rateLimit(nullIp)],
  ['workers', () => workers.rateLimit(nullIp)],
])('%s: null is no ip', (_name, make) => {
  expect(make).toThrow('ip: expected a function, got null')
})

it('states its types', () => {
  expect(taken()).toHaveLength(6)
  expect(refused).toThrow(expect.objectContaining({ path: 'ip' }))
  const limit = bare.rateLimit({ policy, ip: () => undefined })
  // @ts-expect-error: a handler answers with a Response
  expect(typeof limit(() => 'hello')).toBe('function')
  // @ts-expect-error: Next.js does not know the address
  expect(() => next.rateLimit({ policy })).toThrow('ip')
  // @ts-expect-error: nor does Hono
  expect(() => hono.rateLimit({ policy })).toThrow('ip')
  // @ts-expect-error: no such option
  expect(() => bun.rateLimit({ policy, max: 5 })).toThrow('max')
})
