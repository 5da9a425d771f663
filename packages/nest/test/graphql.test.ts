import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from '@jest/globals'
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo'
import { type CanActivate, type ExecutionContext, Module, type Type, UseGuards } from '@nestjs/common'
import { APP_GUARD } from '@nestjs/core'
import { GraphQLModule, Mutation, Query, Resolver } from '@nestjs/graphql'
import type { Decision } from '@sluice/core'
import { concurrency, fixedWindow, memoryStore, type Warning } from '@sluice/core'
import type { RequestView } from '@sluice/http'
import { manualClock } from '@sluice/testing'
import {
  contextOf,
  RateLimit,
  RateLimitDecision,
  RateLimitGuard,
  RateLimitModule,
  type RateLimitModuleOptions,
  RateLimits,
  SkipRateLimit,
} from '../src/index.ts'
import { listening, platforms, siteOf, still } from './serve.ts'
import type { Platform } from './start.ts'

const per = (limit: number) => fixedWindow({ limit, window: '1d' })

const held = { begun: () => {}, release: Promise.resolve() }

class NoEntry implements CanActivate {
  canActivate(): boolean {
    return false
  }
}

/** As a driver that does not add the request to the context, as Apollo's does. */
class OtherDriver implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const shared: { req?: unknown; res?: unknown } = context.getArgByIndex(2)
    delete shared.req
    delete shared.res
    return true
  }
}

@Resolver()
class ZooResolver {
  @Query(() => String)
  tigers(): string {
    return 'tigers'
  }

  @RateLimit({ policy: per(2) })
  @Mutation(() => String)
  login(): string {
    return 'welcome'
  }

  @SkipRateLimit()
  @Query(() => String)
  health(): string {
    return 'fine'
  }

  @Query(() => Number, { nullable: true })
  left(@RateLimitDecision() decision: Decision | null): number | undefined {
    return decision?.remaining
  }

  @RateLimit({ policy: per(2), name: 'failing', settle: (_, { status }) => (status < 400 ? 0 : undefined) })
  @Query(() => String)
  failing(): string {
    throw new Error('broken')
  }

  @RateLimit({ policy: per(2), name: 'settled', settle: (_, { status }) => (status < 400 ? 0 : undefined) })
  @Query(() => String)
  settled(): string {
    return 'settled'
  }

  @UseGuards(NoEntry)
  @RateLimit({ policy: concurrency({ limit: 1, lease: '30s' }) })
  @Query(() => String)
  closed(): string {
    return 'closed'
  }

  @RateLimit({ policy: concurrency({ limit: 1 }), name: 'slow' })
  @Query(() => String)
  async slow(): Promise<string> {
    held.begun()
    await held.release
    return 'slow'
  }
}

interface Answer {
  readonly data?: Readonly<Record<string, unknown>> | null
  readonly errors?: readonly {
    readonly message: string
    readonly extensions: Readonly<Record<string, unknown>>
  }[]
}

/** Apollo's driver for Fastify leaves the reply out. */
const context = (request: object, reply: object) => ({ req: request, res: reply })

/** As Mercurius' of a subscription, whose reply knows the request alone. */
const ofMercurius = (given: { readonly req?: object }) => {
  const request = given.req ?? given
  return { request, reply: { request } }
}

/** As graphql-ws' of an operation on a socket: Node's request has opened it. */
const ofGraphqlWs = (given: { readonly req?: IncomingMessage } & IncomingMessage) => {
  const { method, headers, socket } = given.req ?? given
  return { req: { extra: { request: { method, headers, socket } } } }
}

async function servedOn(
  platform: Platform,
  name: string,
  options: RateLimitModuleOptions,
  before: readonly Type<CanActivate>[] = [],
  contextOfGraphql: object | undefined = name === 'Fastify' ? context : undefined,
) {
  @Module({
    imports: [
      RateLimitModule.forRoot(options),
      GraphQLModule.forRoot<ApolloDriverConfig>({
        driver: ApolloDriver,
        autoSchemaFile: true,
        playground: false,
        ...(contextOfGraphql === undefined ? {} : { context: contextOfGraphql }),
      }),
    ],
    providers: [
      ...before.map((useClass) => ({ provide: APP_GUARD, useClass })),
      { provide: APP_GUARD, useClass: RateLimitGuard },
      ZooResolver,
    ],
  })
  class SiteModule {}
  const site = await siteOf(await listening(platform, SiteModule))
  const url = `${await site.app.getUrl()}/graphql`
  const ask = async (query: string, more = {}): Promise<Answer & { readonly headers: Headers }> => {
    const headers = { 'content-type': 'application/json', ...more }
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query }) })
    return { ...((await response.json()) as Answer), headers: response.headers }
  }
  return { ask, limits: site.app.get(RateLimits) }
}

describe.each(platforms)('GraphQL with Apollo on %s', (name, platform) => {
  const served = (options: RateLimitModuleOptions) => servedOn(platform, name, options)

  it('counts each field of a request by itself, aliases too', async () => {
    const { ask } = await served(still({ policy: per(5) }))
    const { data, headers } = await ask('{ a: tigers b: tigers health }')
    expect(data).toEqual({ a: 'tigers', b: 'tigers', health: 'fine' })
    expect([headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]).toEqual(['5', '3'])
  })

  it('shows functions of options which resolver is called', async () => {
    const key = (_: object, view: RequestView) => contextOf(view)?.getHandler().name
    const { ask, limits } = await served(still({ policy: per(5), key }))
    await ask('{ a: tigers b: tigers left }')
    const left = async (name: string) => (await limits.handleOf().limiter.peek(name)).remaining
    expect([await left('tigers'), await left('left')]).toEqual([3, 4])
  })

  it('says one thing of a policy, however many fields of a request it has counted', async () => {
    const { ask } = await served(still({ policy: per(100), headers: { draft: true } }))
    const { headers } = await ask('mutation { a: login b: login c: login }') // one after another
    expect(headers.get('ratelimit-policy')).toBe('"ZooResolver.login";q=2;w=86400')
    expect(headers.get('ratelimit')).toBe('"ZooResolver.login";r=0;t=86400')
  })

  it('refuses a field, with what a client needs in its extensions and fields', async () => {
    const { ask } = await served(still({ policy: per(100) }))
    const { data, errors, headers } = await ask('mutation { a: login b: login }')
    expect([data, errors]).toEqual([{ a: 'welcome', b: 'welcome' }, undefined])
    expect(headers.get('x-ratelimit-remaining')).toBe('0')
    const refused = await ask('mutation { login }')
    expect(refused.data).toBeNull()
    expect(refused.errors?.[0]).toMatchObject({
      message: 'Too Many Requests',
      path: ['login'],
      extensions: { code: 'TOO_MANY_REQUESTS', reason: 'limited', retryAfterMs: expect.any(Number) },
    })
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0')
  })

  it('a query that asks for the same thing often is refused in part', async () => {
    const { ask } = await served(still({ policy: per(3) }))
    const fields = Array.from({ length: 8 }, (_, i) => `f${i}: health t${i}: left`)
    const { errors } = await ask(`{ ${fields.join(' ')} }`)
    expect(errors?.length).toBe(5)
  })

  it('warns of a context that names no request, and no longer where it has the request as { req }', async () => {
    const said: string[] = []
    const observers = [{ warned: ({ code, message }: Warning) => said.push(`${code}: ${message}`) }]
    const options = { ...still({ policy: per(5) }), observers, logger: { warn: () => {}, error: () => {} } }
    const without = await servedOn(platform, name, options, [OtherDriver])
    await without.ask('{ tigers }')
    expect(said).toEqual([
      expect.stringMatching(/^SLUICE_NO_ADDRESS: .*let the context .* return the request as \{ req \}/),
    ])
    const { ask, limits } = await servedOn(platform, name, options)
    await ask('{ tigers }')
    expect(said).toHaveLength(1)
    expect((await limits.handleOf().limiter.peek('127.0.0.1')).remaining).toBe(4)
  })

  it('counts where the reply of the context answers nothing', async () => {
    const { ask, limits } = await servedOn(platform, name, still({ policy: per(5) }), [], ofMercurius)
    expect(await ask('{ tigers }')).toMatchObject({ data: { tigers: 'tigers' } })
    expect((await limits.handleOf().limiter.peek('127.0.0.1')).remaining).toBe(4)
  })

  it("counts by the proxies of trustProxy where the context has Node's own request", async () => {
    const warned: string[] = []
    const observers = [{ warned: ({ code }: Warning) => warned.push(code) }]
    for (const [trustProxy, counted] of [
      [['127.0.0.1'], '192.0.2.1'],
      [undefined, '127.0.0.1'],
    ] as const) {
      const logger = { warn: () => {}, error: () => {} }
      const options = { ...still({ policy: per(5) }), trustProxy, observers, logger }
      const { ask, limits } = await servedOn(platform, name, options, [], ofGraphqlWs)
      await ask('{ tigers }', { 'x-forwarded-for': '192.0.2.1' })
      expect((await limits.handleOf().limiter.peek(counted)).remaining).toBe(4)
    }
    expect(warned).toEqual(['SLUICE_PROXY_UNTRUSTED'])
  })

  it('gives a resolver its own decision', async () => {
    const { ask } = await served(still({ policy: per(5) }))
    expect((await ask('{ tigers left more: left }')).data).toMatchObject({ left: 3, more: 2 })
  })

  it('the key of a function: the request, and the field as the route', async () => {
    const seen: unknown[] = []
    const key = (
      request: { readonly method: string },
      { route, method, network }: Record<string, unknown>,
    ) => {
      seen.push([request.method, method, route, network])
      return String(route)
    }
    const { ask } = await served(still({ policy: per(5), key } as never))
    await ask('{ tigers }')
    expect(seen).toEqual([['POST', 'POST', 'Query.tigers', '127.0.0.1']])
  })

  it('settle: when the resolver is over, with the status that HTTP would have', async () => {
    const { ask } = await served(still({ policy: per(100) }))
    for (let i = 0; i < 3; i++) expect((await ask('{ settled }')).data).toEqual({ settled: 'settled' })
    const messages: unknown[] = []
    for (let i = 0; i < 3; i++) messages.push((await ask('{ failing }')).errors?.[0]?.message)
    expect(messages).toEqual(['broken', 'broken', 'Too Many Requests'])
  })

  it('concurrency: a place is free when the resolver is over', async () => {
    const { ask } = await served(still({ policy: per(100) }))
    const begun = new Promise<void>((resolve) => {
      held.begun = resolve
    })
    let release = () => {}
    held.release = new Promise<void>((resolve) => {
      release = resolve
    })
    const first = ask('{ slow }')
    await begun
    expect((await ask('{ slow }')).errors?.[0]?.extensions.reason).toBe('limited')
    release()
    expect((await first).data).toEqual({ slow: 'slow' })
    expect((await ask('{ slow }')).data).toEqual({ slow: 'slow' })
  })

  it('a place whose handler a later guard has kept from running ends with its lease', async () => {
    const clock = manualClock()
    const { ask, limits } = await served({ policy: per(100), store: memoryStore({ clock }) })
    expect((await ask('{ closed }')).errors?.[0]?.message).toBe('Forbidden resource')
    const { limiter } = limits.handleOf(ZooResolver, 'closed')
    const left = async () => (await limiter.peek('127.0.0.1')).remaining
    expect(await left()).toBe(0)
    await clock.advance('31s')
    expect(await left()).toBe(1)
  })
})
