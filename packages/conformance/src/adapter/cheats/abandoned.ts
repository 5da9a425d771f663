import type { ClientRequest } from 'node:http'
import net from 'node:net'
import { expect } from '@jest/globals'
import { closeOf, readAddress } from '../aborting.ts'
import { takenBy, wide } from '../by-network.ts'
import { expectCollected } from '../garbage.ts'
import { rawRequest } from '../raw.ts'
import type { Scenario } from '../scenario.ts'
import type { Exchange } from '../site.ts'
import { type PolicyOptions, signal, type World } from '../world.ts'

const places = ['ahead of the limiter', 'in its key function', 'behind it'] as const
const abandoned = 30

/** Requests whose clients leave as soon as they have reached their place. */
class Leaving {
  readonly #requests = new Map<string, ClientRequest>()
  readonly #gone = new Map<string, Promise<void>>()
  /** What the server holds of them. */
  readonly held: WeakRef<object>[] = []

  add(id: string, request: ClientRequest): void {
    request.on('error', () => {})
    this.#requests.set(id, request)
  }

  meet(exchange: Exchange): void {
    readAddress(exchange)
    this.held.push(new WeakRef(exchange.request), new WeakRef(exchange.raw))
    this.#gone.set(idOf(exchange), closeOf(exchange))
  }

  async leave(id: string, place: (typeof places)[number]): Promise<void> {
    if (!id.startsWith(place)) return
    this.#requests.get(id)?.destroy()
    await this.#gone.get(id)
  }

  forget(): void {
    this.#requests.clear()
    this.#gone.clear()
  }
}

function idOf({ raw }: Exchange): string {
  return String(raw.req.headers['x-key'])
}

function connectionsOf(world: World): Promise<number> {
  return new Promise((resolve, reject) => {
    world.running.server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })
}

/** Clients that do not stay for their answers. */
export const abandonedRequests: readonly Scenario[] = [
  {
    title: '41: wherever a request is abandoned it is charged once, and nothing of it is kept',
    async run(world) {
      const leaving = new Leaving()
      const endings: boolean[] = []
      const over = signal()
      const settle: PolicyOptions['settle'] = (_, { aborted }) => {
        if (endings.push(aborted) === abandoned) over.done()
        return undefined
      }
      const key: PolicyOptions['key'] = async (_, view) => {
        await leaving.leave(view.header('x-key') ?? '', 'in its key function')
        return 'bob'
      }
      const client = await world.open({
        first: (exchange) => {
          leaving.meet(exchange)
          return leaving.leave(idOf(exchange), 'ahead of the limiter')
        },
        limits: [world.tickets({ policy: wide, key, settle })],
        routes: [
          {
            handler: async (exchange) => {
              await leaving.leave(idOf(exchange), 'behind it')
              exchange.send(200, 'too late')
            },
          },
        ],
      })
      for (let i = 0; i < abandoned; i++) {
        const by = `${places[i % places.length]} ${i}`
        leaving.add(by, client.open({ by }))
      }
      await over.promise
      leaving.forget()
      expect(endings).toEqual(Array(abandoned).fill(true))
      expect(await takenBy(world, 'bob')).toEqual([abandoned])
      expect(leaving.held).toHaveLength(2 * abandoned)
      await expectCollected(leaving.held)
      expect(await connectionsOf(world)).toBe(0)
      world.takeWarnings()
    },
  },
  {
    title: '41: a request whose body never comes is charged at its head',
    async run(world) {
      const decided = signal()
      const observers = [{ decided: () => decided.done() }]
      const client = await world.limited(world.tickets({ policy: wide, observers }))
      const socket = net.connect(client.target)
      const fields = ['Content-Type: application/json', 'Content-Length: 1000']
      socket.write(`${rawRequest({ method: 'POST', fields })}{`)
      await decided.promise
      socket.destroy()
      expect(await takenBy(world, 'bob')).toEqual([1])
    },
  },
]
