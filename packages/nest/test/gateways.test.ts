import type { Server } from 'node:net'
import { afterEach, describe, expect, it } from '@jest/globals'
import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  type INestApplication,
  Module,
  UseFilters,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common'
import { IoAdapter } from '@nestjs/platform-socket.io'
import { WsAdapter } from '@nestjs/platform-ws'
import {
  MessageBody,
  type OnGatewayDisconnect,
  SubscribeMessage,
  WebSocketGateway,
  WsException,
} from '@nestjs/websockets'
import type { Decision } from '@sluice/core'
import { concurrency, fixedWindow, isRefusedError, type Listed, type Lists } from '@sluice/core'
import type { RequestView } from '@sluice/http'
import { io } from 'socket.io-client'
import { WebSocket } from 'ws'
import {
  contextOf,
  RateLimit,
  RateLimitDecision,
  RateLimitGuard,
  RateLimitInterceptor,
  RateLimitModule,
  type RateLimitModuleOptions,
  RateLimits,
  SkipRateLimit,
} from '../src/index.ts'
import { listening, still } from './serve.ts'
import { onExpress } from './start.ts'

const per = (limit: number) => fixedWindow({ limit, window: '1d' })

const errors: unknown[] = []

/** ws has no event that Nest could send an error by. */
@Catch(WsException)
class SendingFilter implements ExceptionFilter {
  catch(error: WsException, host: ArgumentsHost): void {
    errors.push(error)
    const client = host.switchToWs().getClient()
    if (client.handshake === undefined)
      client.send(JSON.stringify({ event: 'exception', data: error.getError() }))
    else client.emit('exception', error.getError())
  }
}

const asked = { settled: [] as number[], key: (): string => 'ada' }
const late = {
  settled: [] as unknown[],
  handled: 0,
  key: async (): Promise<string> => 'ada',
  disconnected: () => {},
}
const held = { begun: () => {}, release: Promise.resolve() }

@UseGuards(RateLimitGuard)
@UseInterceptors(RateLimitInterceptor)
@UseFilters(new SendingFilter())
@WebSocketGateway()
class ZooGateway implements OnGatewayDisconnect {
  handleDisconnect(): void {
    late.disconnected()
  }

  @SubscribeMessage('look')
  look(): unknown {
    return { event: 'looked', data: 'tigers' }
  }

  @RateLimit({ policy: per(1) })
  @SubscribeMessage('buy')
  buy(@MessageBody() _: unknown, @RateLimitDecision() decision: Decision | null): unknown {
    return { event: 'bought', data: decision?.limiter ?? null }
  }

  @SkipRateLimit()
  @SubscribeMessage('ping')
  ping(): unknown {
    return { event: 'pong', data: null }
  }

  @RateLimit({ policy: concurrency({ limit: 1 }) })
  @SubscribeMessage('slow')
  async slow(): Promise<unknown> {
    held.begun()
    await held.release
    return { event: 'slowed', data: null }
  }

  @RateLimit({
    policy: concurrency({ limit: 1, lease: '1h' }),
    key: () => late.key(),
    settle: (_socket, { status, aborted }) => void late.settled.push([status, aborted]),
  })
  @SubscribeMessage('late')
  late(): unknown {
    late.handled++
    return { event: 'never', data: null }
  }

  @RateLimit({
    name: 'at once',
    policy: concurrency({ limit: 1 }),
    key: () => 'all',
    settle: (_socket, { status }) => void asked.settled.push(status),
  })
  @RateLimit({ name: 'once', policy: per(1), key: () => asked.key() })
  @SubscribeMessage('ask')
  ask(): unknown {
    return { event: 'answered', data: null }
  }
}

/** Sends a message, and resolves to the next answer. */
type Talk = (event: string, data?: unknown) => Promise<{ readonly event: string; readonly data: unknown }>

const closing: (() => void)[] = []

afterEach(() => {
  errors.length = 0
  asked.settled = []
  asked.key = () => 'ada'
  for (const close of closing.splice(0)) close()
})

/** Hands each answer to whoever asked first. */
class Answers {
  readonly #waiting: ((answer: Awaited<ReturnType<Talk>>) => void)[] = []

  next(): ReturnType<Talk> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  give(event: string, data: unknown): void {
    this.#waiting.shift()?.({ event, data })
  }
}

const clients: readonly (readonly [string, (app: INestApplication) => INestApplication, typeof talkByWs])[] =
  [
    ['ws', (app) => app.useWebSocketAdapter(new WsAdapter(app)), talkByWs],
    ['socket.io', (app) => app.useWebSocketAdapter(new IoAdapter(app)), talkBySocketIo],
  ]

async function talkByWs(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Talk> {
  const socket = new WebSocket(url.replace('http', 'ws'), { headers })
  closing.push(() => socket.close())
  const answers = new Answers()
  socket.on('message', (text) => {
    const { event, data } = JSON.parse(String(text))
    answers.give(event, data)
  })
  await new Promise((resolve) => socket.on('open', resolve))
  return (event, data = {}) => {
    socket.send(JSON.stringify({ event, data }))
    return answers.next()
  }
}

async function talkBySocketIo(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Talk> {
  const socket = io(url, { transports: ['websocket'], extraHeaders: headers, reconnection: false })
  closing.push(() => socket.close())
  const answers = new Answers()
  socket.onAny((event: string, data: unknown) => answers.give(event, data))
  await new Promise<void>((resolve) => socket.on('connect', resolve))
  return (event, data = {}) => {
    socket.emit(event, data)
    return answers.next()
  }
}

describe.each(clients)('gateways on %s', (name, adapted, talkBy) => {
  async function served(options: RateLimitModuleOptions) {
    @Module({
      imports: [RateLimitModule.forRoot(options)],
      providers: [ZooGateway],
    })
    class SiteModule {}
    const app = await listening(onExpress, SiteModule, adapted)
    const url = (await app.getUrl()).replace('[::1]', '127.0.0.1')
    return { app, talk: (headers = {}) => talkBy(url, headers) }
  }

  it("counts messages by the client's address, whatever socket they come from", async () => {
    const { talk } = await served(still({ policy: per(2) }))
    const one = await talk()
    expect(await one('look')).toEqual({ event: 'looked', data: 'tigers' })
    const other = await talk()
    expect(await other('look')).toEqual({ event: 'looked', data: 'tigers' })
    expect((await one('look')).event).toBe('exception')
    expect(await one('ping')).toEqual({ event: 'pong', data: null })
  })

  it('refuses a message with an error that Nest hands on, and filters recognize', async () => {
    const { talk } = await served(still({ policy: per(9) }))
    const say = await talk()
    expect(await say('buy')).toEqual({ event: 'bought', data: 'ZooGateway.buy' })
    expect(await say('buy')).toEqual({
      event: 'exception',
      data: {
        status: 'error',
        message: expect.stringMatching(/^Too many requests: try again in \d+ seconds\.$/),
        reason: 'limited',
        retryAfter: expect.any(Number),
        'violated-policies': ['ZooGateway.buy'],
      },
    })
    const [error] = errors
    if (!isRefusedError(error)) throw new Error('not recognized')
    expect([error.decision.key, error.status]).toEqual(['127.0.0.1', 429])
  })

  it('lists that change while it runs meet messages, also those of handlers with limits of their own', async () => {
    let listed: Listed | undefined
    const lists: Lists = { ofAddress: () => listed, ofKey: () => undefined }
    const { talk } = await served(still({ policy: per(1), lists: [lists] }))
    const say = await talk()
    listed = { list: 'allow', endsInMs: 60_000 }
    for (let i = 0; i < 2; i++) expect((await say('buy')).event).toBe('bought')
    listed = { list: 'deny', endsInMs: 60_000 }
    for (const event of ['look', 'buy']) expect((await say(event)).data).toMatchObject({ reason: 'denied' })
    listed = { list: 'block', endsInMs: 59_001 }
    expect((await say('buy')).data).toMatchObject({ reason: 'blocked', retryAfter: 60 })
    expect(await say('ping')).toEqual({ event: 'pong', data: null })
    listed = undefined
    expect((await say('buy')).event).toBe('bought')
    expect((await say('buy')).data).toMatchObject({ reason: 'limited' })
  })

  it('the key of a function: the socket, and the pattern as the route', async () => {
    const seen: unknown[] = []
    const key = (socket: object, view: RequestView) => {
      seen.push([view.route, view.network, 'send' in socket, contextOf(view)?.getHandler().name])
      return undefined
    }
    const { talk } = await served(still({ policy: per(9), key }))
    await (await talk())('look')
    expect(seen).toEqual([['look', '127.0.0.1', true, 'look']])
  })

  it('trusted proxies name the client, where the socket has its headers', async () => {
    const { app, talk } = await served(still({ policy: per(9), trustProxy: ['127.0.0.0/8'] }))
    await (await talk({ 'X-Forwarded-For': '192.0.2.7' }))('look')
    const { limiter } = app.get(RateLimits).handleOf()
    const left = async (key: string) => (await limiter.peek(key)).remaining
    expect([await left('192.0.2.7'), await left('127.0.0.1')]).toEqual(name === 'ws' ? [9, 8] : [8, 9])
  })

  it('concurrency: a place is free when the handler is over', async () => {
    const { talk } = await served(still({ policy: per(9) }))
    const begun = new Promise<void>((resolve) => {
      held.begun = resolve
    })
    let release = () => {}
    held.release = new Promise<void>((resolve) => {
      release = resolve
    })
    const [one, other] = [await talk(), await talk()]
    const first = one('slow')
    await begun
    expect((await other('slow')).data).toMatchObject({ reason: 'limited' })
    release()
    expect((await first).event).toBe('slowed')
    expect((await other('slow')).event).toBe('slowed')
  })

  it('concurrency: a client that hangs up keeps its place until its message is handled', async () => {
    const { app, talk } = await served(still({ policy: per(9) }))
    const begun = new Promise<void>((resolve) => {
      held.begun = resolve
    })
    let release = () => {}
    held.release = new Promise<void>((resolve) => {
      release = resolve
    })
    const one = await talk()
    const hangUp = closing.at(-1)
    const other = await talk()
    void one('slow')
    await begun
    hangUp?.()
    const server: Server = app.getHttpServer()
    const connections = () => new Promise((resolve) => server.getConnections((_, count) => resolve(count)))
    while ((await connections()) !== 1) await new Promise((resolve) => setImmediate(resolve))
    held.begun = release
    expect((await other('slow')).data).toMatchObject({ reason: 'limited' })
    release()
    while ((await other('slow')).event !== 'slowed');
  })

  it('concurrency: a client that hangs up while its message is counted gives its place back, and nothing is handled', async () => {
    Object.assign(late, { settled: [], handled: 0 })
    const { app, talk } = await served(still({ policy: per(9) }))
    let found = (_: string) => {}
    const asking = new Promise<void>((resolve) => {
      late.key = () => {
        resolve()
        return new Promise((answer) => {
          found = answer
        })
      }
    })
    const say = await talk()
    void say('late')
    await asking
    const disconnected = new Promise<void>((resolve) => {
      late.disconnected = resolve
    })
    closing.at(-1)?.()
    await disconnected
    found('ada')
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
    const { limiter } = app.get(RateLimits).handleOf(ZooGateway, 'late')
    expect((await limiter.peek('ada')).remaining).toBe(1)
    expect(late).toMatchObject({ settled: [[499, true]], handled: 0 })
  })

  it('a place that a message has taken is free when another limit refuses the message, or its key throws', async () => {
    const { app, talk } = await served(still({ policy: per(9) }))
    const say = await talk()
    const { limiter } = app.get(RateLimits).handleOf(ZooGateway, 'ask')
    const free = async () => (await limiter.peek('all')).remaining
    expect((await say('ask')).event).toBe('answered')
    expect((await say('ask')).data).toMatchObject({ reason: 'limited', 'violated-policies': ['once'] })
    expect([asked.settled, await free()]).toEqual([[200, 429], 1])
    asked.key = () => {
      throw new WsException('no tigers')
    }
    expect(await say('ask')).toMatchObject({ event: 'exception' })
    expect([asked.settled, await free()]).toEqual([[200, 429, 500], 1])
  })
})
