import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import path from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { bundled } from '@sluice/faults/bundle'
import { socket } from '@sluice/faults/redis-socket'
import { Redis } from 'ioredis'
import { type Order, places, slotsOn, storeOn } from './slots.ts'
import { eventually } from './within.ts'

const client = new Redis({ path: socket })
const store = storeOn(client)
afterAll(async () => {
  await store.close()
  client.disconnect()
})

const holder = bundled(path.join(import.meta.dirname, 'holder.ts'))

/** A process that holds places. */
class Holder {
  readonly #process: ChildProcess

  private constructor(process: ChildProcess) {
    this.#process = process
  }

  static async start(name: string): Promise<Holder> {
    const child = fork(await holder(), [socket, name])
    await once(child, 'message')
    return new Holder(child)
  }

  async order(order: Order): Promise<number> {
    const answered = once(this.#process, 'message')
    this.#process.send(order)
    const [answer] = await answered
    return Number(answer)
  }

  async kill(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return
    const ended = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await ended
  }
}

/** How many are in flight as the server counts. */
async function inFlight(key: string): Promise<number> {
  const script =
    "local t = redis.call('TIME') return redis.call('ZCOUNT', KEYS[1], '(' .. t[1] .. string.format('%06d', t[2]), '+inf')"
  return Number(await client.eval(script, 1, key))
}

/** The most that were in flight at every look while the test goes on. */
class Watch {
  most = 0
  readonly #key: string
  #going = true
  readonly #done: Promise<void>

  constructor(key: string) {
    this.#key = key
    this.#done = this.#look()
  }

  async #look(): Promise<void> {
    while (this.#going) this.most = Math.max(this.most, await inFlight(this.#key))
  }

  async end(): Promise<number> {
    this.#going = false
    await this.#done
    return this.most
  }
}

/** Until every lease that the key holds now has ended, unless it is renewed. */
async function allHaveEnded(key: string): Promise<void> {
  const [, end = 0] = await client.zrevrange(key, 0, 0, 'WITHSCORES')
  const hasEnded = async () => {
    const [seconds = 0, us = 0] = (await client.time()).map(Number)
    return seconds * 1e6 + us >= Number(end)
  }
  await eventually(hasEnded)
}

describe('places that two processes hold', () => {
  let name: string
  let key: string
  let holders: readonly [Holder, Holder]
  let watch: Watch
  let limiter: ReturnType<typeof slotsOn>

  beforeEach(async () => {
    name = randomBytes(6).toString('hex')
    key = `sl3:{k}:${name}:co`
    holders = await Promise.all([Holder.start(name), Holder.start(name)])
    watch = new Watch(key)
    limiter = slotsOn(store, name, () => {})
  })
  afterEach(async () => {
    await watch.end()
    await Promise.all(holders.map((holder) => holder.kill()))
    await limiter.close()
    await limiter.reset('k')
  })

  async function taken(times: number): Promise<number> {
    const decisions = await Promise.all(Array.from({ length: times }, () => limiter.check('k')))
    return decisions.filter(({ allowed }) => allowed).length
  }

  it('come free within one lease when one of them is killed, and never more than the limit are taken', async () => {
    const [one, other] = holders
    expect([await one.order({ do: 'take', times: 3 }), await other.order({ do: 'take', times: 3 })]).toEqual([
      3, 1,
    ])
    expect(await taken(1)).toBe(0)
    await one.kill()
    await allHaveEnded(key)
    expect(await taken(places)).toBe(3)
    expect(await other.order({ do: 'release', times: 1 })).toBe(0)
    expect(await taken(places)).toBe(1)
    expect(await watch.end()).toBe(places)
  })

  it('are another’s when an event loop stands still for longer, which is reported, and come back when they are free', async () => {
    const [one] = holders
    await one.order({ do: 'take', times: places })
    await one.order({ do: 'block', ms: 4000 })
    await eventually(async () => (await inFlight(key)) === 0)
    expect(await taken(places)).toBe(places)
    await eventually(async () => (await one.order({ do: 'count losses' })) === places)
    await limiter.close()
    await limiter.reset('k')
    await eventually(async () => (await client.zcard(key)) === places)
    await one.order({ do: 'release', times: places })
    expect(await client.zcard(key)).toBe(0)
    expect(await watch.end()).toBe(places)
  })
})
