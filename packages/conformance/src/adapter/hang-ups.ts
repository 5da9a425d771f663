import { expect } from '@jest/globals'
import { fixedWindow } from '@sluice/core'
import { aborted, closeOf, readAddress, sentAndReset } from './aborting.ts'
import { settleRecipes } from './recipes.ts'
import type { Scenario } from './scenario.ts'
import type { Exchange, Handler, Options } from './site.ts'
import { rowOf, signal, type World } from './world.ts'

const three = fixedWindow({ limit: 3, window: '10s' })

/** Settles as a recipe says, and reports when that is done. */
function watched(settle: NonNullable<Options['settle']>) {
  const endings: { status: number; aborted: boolean }[] = []
  let ended = signal()
  return {
    endings,
    /** After the next ending. */
    next(): Promise<void> {
      ended = signal()
      return ended.promise
    },
    settle: ((request, response) => {
      endings.push({ ...response })
      setImmediate(() => ended.done())
      return settle(request, response)
    }) satisfies Options['settle'],
  }
}

/** Where a client leaves: its handler reached, or its answer under way. */
const places = {
  'while its handler works': async (exchange: Exchange, leave: () => void) => {
    leave()
    await closeOf(exchange)
    exchange.send(200, 'too late')
  },
  'and its handler fails later': async (exchange: Exchange, leave: () => void) => {
    leave()
    await closeOf(exchange)
    exchange.send(500, 'too late')
  },
  'and is never answered': async (exchange: Exchange, leave: () => void) => {
    leave()
    await closeOf(exchange)
  },
}

async function leftOf(world: World, options: Options): Promise<string | undefined> {
  const client = await world.limited({ ...options, settle: undefined })
  return String(rowOf(await client.send())[2])
}

const recipes: readonly Scenario[] = Object.entries(settleRecipes).map(([about, { settle, giveBack }]) => ({
  title: `42: the recipe "${about}": what is answered is settled, and who hangs up gets nothing back`,
  async run(world) {
    for (const status of [200, 401, 500]) {
      const { settle: settled, next } = watched(settle)
      const options = world.tickets({ policy: three, name: `answered ${status}`, settle: settled })
      const client = await world.open({
        limits: [options],
        routes: [{ handler: ({ send }) => send(status, 'done') }],
      })
      const ended = next()
      await client.send()
      await ended
      expect([status, await leftOf(world, options)]).toEqual([status, giveBack.includes(status) ? '2' : '1'])
    }
    for (const [place, work] of Object.entries(places)) {
      const { settle: settled, next, endings } = watched(settle)
      const options = world.tickets({ policy: three, name: `leaves ${place}`, settle: settled })
      let leave = signal()
      const handler: Handler = (exchange) => work(exchange, () => leave.done())
      const client = await world.open({ limits: [options], routes: [{ handler }] })
      const before = signal()
      const ahead = world.tickets({
        policy: three,
        name: `leaves ${place}`,
        settle: settled,
        key: async (_, view) => {
          before.done()
          await new Promise((resolve) => setTimeout(resolve))
          return view.header('x-key')
        },
      })
      for (let i = 0; i < 2; i++) {
        leave = signal()
        const ended = next()
        aborted(client, leave.promise)
        await ended
      }
      // The third leaves before it is decided.
      const early = await world.open({ limits: [ahead], routes: [{ handler }] })
      const ended = next()
      aborted(early, before.promise)
      await ended
      expect([place, endings]).toEqual([place, Array(3).fill({ status: 499, aborted: true })])
      const client3 = await world.limited({ ...options, settle: undefined })
      expect((await client3.send()).status).toBe(429)
    }
  },
}))

/** Clients that hang up: that is no success, and nothing that is counted by an address is counted without one. */
export const hangUps: readonly Scenario[] = [
  ...recipes,
  {
    title: '42: who hangs up after the head was sent: the status that was sent, and aborted',
    async run(world) {
      const { settle, next, endings } = watched(() => undefined)
      const begun = signal()
      const handler: Handler = async ({ raw }) => {
        raw.writeHead(206, { 'Content-Length': '1000' })
        raw.write('first')
        begun.done()
        await new Promise((resolve) => raw.once('close', resolve))
      }
      const client = await world.open({
        limits: [world.tickets({ policy: three, settle })],
        routes: [{ handler }],
      })
      const ended = next()
      const request = client.open()
      request.on('error', () => {})
      request.on('response', (response) => {
        response.on('error', () => {})
        response.once('data', () => request.destroy())
      })
      await ended
      expect(endings).toEqual([{ status: 206, aborted: true }])
    },
  },
  {
    title: 'gone with its address unread: answered as gone, ahead of every list and count',
    async run(world) {
      let decided = 0
      let settled = 0
      const observers = [{ decided: () => void decided++ }]
      const lists: Partial<Options>[] = [
        {},
        { denyList: ['127.0.0.0/8', '::1'] },
        { allowList: ['127.0.0.0/8', '::1'] },
      ]
      for (const [i, list] of lists.entries()) {
        const reached = signal()
        const passed = signal()
        const client = await world.open({
          first: async (exchange) => {
            reached.done()
            await closeOf(exchange)
            setImmediate(() => setImmediate(passed.done))
          },
          limits: [
            {
              ...world.tickets({ observers, name: `gone ${i}` }),
              key: undefined,
              settle: () => {
                settled++
                return undefined
              },
              ...list,
            } as Options,
          ],
        })
        aborted(client, reached.promise)
        await passed.promise
      }
      expect([decided, settled, world.handled, world.takeWarnings()]).toEqual([0, 0, 0, []])
    },
  },
  {
    title:
      'a connection that is reset behind its request has no address: it evades no list, and shares no count',
    async run(world) {
      const reasons: (string | null)[] = []
      const observers = [{ decided: ({ reason }: { reason: string | null }) => void reasons.push(reason) }]
      for (const denyList of [undefined, ['127.0.0.0/8', '::1']]) {
        const options = {
          ...world.tickets({ observers, name: `reset ${denyList}` }),
          key: undefined,
          denyList,
        }
        const client = await world.limited(options as Options)
        for (let i = 0; i < 5; i++) await sentAndReset(client)
        await client.send()
      }
      // Of the requests that were sent to their end.
      expect([reasons, world.handled, world.takeWarnings()]).toEqual([[null, 'denied'], 1, []])
    },
  },
  {
    title: 'gone after its address was read: counted under it, and denied by it',
    async run(world) {
      const reasons: (string | null)[] = []
      const observers = [
        {
          decided: ({ reason }: { reason: string | null }) => {
            reasons.push(reason)
            twice.done()
          },
        },
      ]
      let twice = signal()
      for (const denyList of [undefined, ['127.0.0.0/8', '::1']]) {
        twice = signal()
        const reached = signal()
        const client = await world.open({
          first: async (exchange) => {
            readAddress(exchange)
            reached.done()
            await closeOf(exchange)
          },
          limits: [
            {
              ...world.tickets({ observers, name: `read ${denyList}` }),
              key: undefined,
              denyList,
            } as Options,
          ],
        })
        aborted(client, reached.promise)
        await twice.promise
      }
      expect([reasons, world.takeWarnings()]).toEqual([[null, 'denied'], []])
    },
  },
  {
    title: 'decision.signal shows a handler that its client has gone',
    async run(world) {
      const reached = signal()
      const noticed = signal<boolean>()
      const handler: Handler = async ({ decision, raw, send }) => {
        const gone = decision?.signal
        if (gone === undefined) throw new Error('no signal')
        if (raw.req.headers['x-stay'] !== undefined) {
          raw.once('close', () => noticed.done(gone.aborted))
          return send(200, 'ok')
        }
        gone.addEventListener('abort', () => noticed.done(gone === decision?.signal))
        reached.done()
        await closeOf({ raw } as Exchange)
      }
      const client = await world.open({
        limits: [world.tickets({ policy: three })],
        routes: [{ handler }],
      })
      aborted(client, reached.promise)
      expect(await noticed.promise).toBe(true)
    },
  },
  {
    title:
      'decision.signal of a request that was answered is never aborted; read after a hang-up it is at once',
    async run(world) {
      const seen: (boolean | undefined)[] = []
      const over = [signal(), signal()] as const
      const reached = signal()
      const handler: Handler = async (exchange) => {
        const { raw, decision } = exchange
        if (raw.req.headers['x-stay'] === undefined) {
          reached.done()
          await closeOf(exchange)
          seen.push(decision?.signal.aborted)
          return over[1].done()
        }
        raw.once('close', () => {
          seen.push(decision?.signal.aborted)
          over[0].done()
        })
        exchange.send(200, 'ok')
      }
      const client = await world.open({
        limits: [world.tickets({ policy: three })],
        routes: [{ handler }],
      })
      await client.send({ headers: { 'X-Stay': '1' } })
      await over[0].promise
      aborted(client, reached.promise)
      await over[1].promise
      expect(seen).toEqual([false, true])
    },
  },
]
