import net from 'node:net'
import { PassThrough } from 'node:stream'
import { expect } from '@jest/globals'
import { createLimiter, type Decision, gcra } from '@sluice/core'
import { closeOf } from './aborting.ts'
import type { Client } from './client.ts'
import { rawRequest } from './raw.ts'
import type { Scenario } from './scenario.ts'
import type { Exchange, Handler, Options, Site } from './site.ts'
import { slots, until, untilLeft } from './slots.ts'
import { signal, type World } from './world.ts'

const behind = 7

/** A connection whose first request is not answered, and what waits behind it: Node gives those responses no socket. */
interface Queue {
  hangUp(): Promise<void>
}

/** Sends a request that is not answered and others behind it, in one write. */
async function queueOn(world: World, client: Client, sent: number): Promise<Queue> {
  const text = rawRequest({ target: '/slow', connection: 'keep-alive' })
  const socket = net.connect(client.target)
  world.later(() => socket.destroy())
  socket.on('error', () => {})
  socket.resume()
  socket.write(text + rawRequest({ connection: 'keep-alive' }).repeat(sent))
  return {
    hangUp: () =>
      new Promise((resolve) => {
        socket.once('close', () => resolve())
        socket.destroy()
      }),
  }
}

/** A site with a route that keeps a connection busy until its client goes, and a limited one behind it. */
function open(
  world: World,
  limits: readonly Options[],
  { handler, first }: Pick<Partial<Site>, 'first'> & { readonly handler: Handler },
): Promise<Client> {
  const slow: Handler = async (exchange) => {
    await closeOf(exchange)
    exchange.send(200, 'too late')
  }
  const routes = [
    { path: '/slow', handler: slow },
    { limits, handler },
  ]
  return world.open({ routes, first })
}

/** Handlers that work until `end`, also when their clients hang up. */
class Works {
  begun = 0
  readonly decisions: (Decision | null | undefined)[] = []
  readonly #over = signal()

  readonly handler: Handler = async (exchange) => {
    this.begun++
    this.decisions.push(exchange.decision)
    await this.#over.promise
    exchange.send(200, 'too late')
  }

  end(): void {
    this.#over.done()
  }
}

const isLimited = ({ raw }: Exchange) => raw.req.url === '/tickets'

/** Requests that wait behind another one on a connection that breaks: nobody can be answered, as after any hang-up. */
export const queuedEnds: readonly Scenario[] = [
  {
    title:
      'behind an unanswered request, places are free once the handlers are over, though nobody was there',
    async run(world) {
      const { limiter, options } = slots(world, { limit: 5 })
      const works = new Works()
      const client = await open(world, [options], works)
      const { hangUp } = await queueOn(world, client, behind)
      await until(() => works.begun === 5)
      await hangUp()
      await until(() => works.decisions.every((decision) => decision?.signal.aborted === true))
      // A handler works on for nobody: its place is taken.
      expect((await limiter.peek('bob')).remaining).toBe(0)
      works.end()
      await untilLeft(limiter, 5)
    },
  },
  {
    title: 'behind an unanswered request, releaseOnAbort frees places at the hang-up',
    async run(world) {
      const { limiter } = slots(world, { limit: 5 })
      const works = new Works()
      const options = { limiter, key: () => 'bob', releaseOnAbort: true } as Options
      const client = await open(world, [options], works)
      const { hangUp } = await queueOn(world, client, behind)
      await until(() => works.begun === 5)
      await hangUp()
      await untilLeft(limiter, 5)
      works.end()
    },
  },
  {
    title: 'behind an unanswered request, a handler that had answered before the hang-up leaves its place',
    async run(world) {
      const { limiter, options } = slots(world, { limit: 5 })
      let answered = 0
      const handler: Handler = ({ send }) => {
        send(200, 'queued')
        answered++
      }
      const client = await open(world, [options], { handler })
      const { hangUp } = await queueOn(world, client, behind)
      await until(() => answered === 5)
      expect((await limiter.peek('bob')).remaining).toBe(0)
      await hangUp()
      await untilLeft(limiter, 5)
    },
  },
  {
    title: 'behind an unanswered request, a response that has a time-out ends with the connection',
    async run(world) {
      const { limiter, options } = slots(world, { limit: 5 })
      let begun = 0
      const handler: Handler = async (exchange) => {
        const { raw } = exchange
        const closed = closeOf(exchange)
        // Node sets it on the socket that the response is to get.
        raw.setTimeout(60_000)
        begun++
        await closed
        raw.setTimeout(30_000)
        raw.socket?.setNoDelay()
        exchange.send(200, 'too late')
      }
      const client = await open(world, [options], { handler })
      const { hangUp } = await queueOn(world, client, behind)
      await until(() => begun === 5)
      await hangUp()
      await untilLeft(limiter, 5)
    },
  },
  {
    title: 'behind an unanswered request, a stream that was piped into its response ends with the connection',
    async run(world) {
      const { limiter, options } = slots(world, { limit: 5 })
      const bodies: PassThrough[] = []
      const handler: Handler = ({ send }) => {
        const body = new PassThrough()
        body.on('error', () => {})
        body.write('first')
        bodies.push(body)
        send(200, body)
      }
      const client = await open(world, [options], { handler })
      const { hangUp } = await queueOn(world, client, behind)
      await until(() => bodies.length === 5)
      await hangUp()
      await untilLeft(limiter, 5)
      for (const body of bodies) body.destroy()
    },
  },
  {
    title: 'behind an unanswered request, who waits for a turn gives it back, and no handler runs',
    async run(world) {
      const policy = gcra({ count: 1, period: '1s' })
      const limiter = createLimiter({ ...world.quiet(), name: 'held', policy, maxSleepers: 100 })
      let ran = 0
      const handler: Handler = ({ send }) => {
        ran++
        send(200, 'ok')
      }
      const options = { limiter, key: () => 'bob', maxWait: '20s' } as Options
      const client = await open(world, [options], { handler })
      const { hangUp } = await queueOn(world, client, behind)
      await until(() => limiter.health().sleepers === behind - 1)
      await hangUp()
      await until(() => limiter.health().sleepers === 0)
      await world.clock.advance('20s')
      expect([ran, (await limiter.peek('bob')).remaining]).toEqual([1, 1])
    },
  },
  {
    title: 'behind an unanswered request, who stands in line for a place leaves it',
    async run(world) {
      const { limiter } = slots(world, { limit: 5 })
      const works = new Works()
      const options = { limiter, key: () => 'bob', maxWait: '20s' } as Options
      const client = await open(world, [options], works)
      const { hangUp } = await queueOn(world, client, behind)
      await until(() => works.begun === 5 && limiter.health().sleepers === behind - 5)
      await hangUp()
      await until(() => limiter.health().sleepers === 0)
      works.end()
      await untilLeft(limiter, 5)
      expect(works.begun).toBe(5)
    },
  },
  {
    title: 'behind an unanswered request, what is settled is a client that went before anything was sent',
    async run(world) {
      const endings: unknown[] = []
      const settle: Options['settle'] = (_, ended) => {
        endings.push(ended)
        return undefined
      }
      let answered = 0
      const handler: Handler = ({ send }) => {
        answered++
        if (answered % 2 === 0) send(200, 'queued')
      }
      const policy = gcra({ count: 10, period: '1s' })
      const client = await open(world, [world.tickets({ policy, settle })], { handler })
      const { hangUp } = await queueOn(world, client, behind)
      await until(() => answered === behind)
      await hangUp()
      await until(() => endings.length === behind)
      expect(endings).toEqual(Array(behind).fill({ status: 499, aborted: true }))
    },
  },
  {
    title: 'behind an unanswered request, what is destroyed with its connection, as by Node 24, ends as well',
    async run(world) {
      const { limiter } = slots(world, { limit: 5 })
      const works = new Works()
      const endings: unknown[] = []
      const settle: Options['settle'] = (_, ended) => {
        endings.push(ended)
        return undefined
      }
      const handler: Handler = (exchange) => {
        const { raw } = exchange
        raw.req.socket.prependOnceListener('close', () => raw.destroy())
        return works.handler(exchange)
      }
      const client = await open(world, [{ limiter, key: () => 'bob', settle } as Options], { handler })
      const { hangUp } = await queueOn(world, client, 5)
      await until(() => works.begun === 5)
      await hangUp()
      await until(() => endings.length === 5)
      works.end()
      await untilLeft(limiter, 5)
      expect(endings).toEqual(Array(5).fill({ status: 499, aborted: true }))
    },
  },
  {
    title: 'behind an unanswered request, who is on the deny list reaches no handler by hanging up early',
    async run(world) {
      const passed: string[] = []
      let ran = 0
      const handler: Handler = ({ send }) => {
        ran++
        send(200, 'ok')
      }
      const reached = signal()
      let asked = 0
      const first: Handler = async (exchange) => {
        if (!isLimited(exchange)) return
        if (++asked === behind) reached.done()
        await until(() => exchange.raw.req.socket.destroyed)
        setImmediate(() => setImmediate(() => passed.push('gone')))
      }
      let decided = 0
      const observers = [{ decided: () => void decided++ }]
      const denied = { ...world.tickets({ observers }), key: undefined, denyList: ['127.0.0.0/8', '::1'] }
      const client = await open(world, [denied as Options], { handler, first })
      const { hangUp } = await queueOn(world, client, behind)
      await reached.promise
      await hangUp()
      await until(() => passed.length === behind)
      // Without its address nobody knows who it was, so that nothing is decided.
      expect([ran, decided, world.takeWarnings()]).toEqual([0, 0, []])
    },
  },
  {
    title: 'a hundred requests in one write leave no listener on their connection',
    async run(world) {
      const { limiter, options } = slots(world, { limit: 200 })
      let connection: net.Socket | undefined
      const handler: Handler = async ({ raw, send }) => {
        connection = raw.req.socket
        await new Promise((resolve) => setImmediate(resolve))
        send(200, 'ok')
      }
      const client = await open(world, [options], { handler })
      await client.send()
      const before = connection?.listenerCount('close') ?? 0
      const socket = net.connect(client.target)
      world.later(() => socket.destroy())
      let received = ''
      socket.setEncoding('latin1').on('data', (data: string) => {
        received += data
      })
      socket.write(rawRequest({ connection: 'keep-alive' }).repeat(100))
      await until(() => received.split('HTTP/1.1 200').length === 101)
      await untilLeft(limiter, 200)
      // One for all that have waited on it.
      expect(connection?.listenerCount('close')).toBeLessThanOrEqual(before + 1)
    },
  },
]
