import type { Decision } from '@sluice/core'
import { RedisProcess, SteppedClock, until, whyNoSteppedServer } from '@sluice/faults'
import { type FrozenTime, freeze } from '@sluice/testing'
import { Redis } from 'ioredis'
import { serve } from '../helper.ts'
import type { Left, Sample } from './judge.ts'
import { keptBeside, resourcesBeside } from './kept.ts'
import { type Limiters, openLimiters } from './limiters.ts'
import { hourUs, type Request, week } from './week.ts'

// The soak in virtual time: this process and its server, whose clock it steps, go from one second with requests to the next.

const window = '1h'
/** Lives are up to two windows. */
const longestLifeSeconds = 2 * 3600 + 1
const secondUs = 1e6

class VirtualWeek {
  readonly #requests: Iterator<Request>
  readonly #server: RedisProcess
  readonly #clock: SteppedClock
  readonly #client: Redis
  readonly #before: readonly string[]
  readonly #limiters: Limiters
  readonly #time: FrozenTime = freeze({ except: ['redis'] })
  readonly #waiting = new Set<Promise<void>>()
  #next: Request | undefined
  #second = 0
  #hours = 0
  #sent = 0
  #inFlight: Decision[] = []

  private constructor(
    requests: Iterator<Request>,
    about: { readonly server: RedisProcess; readonly clock: SteppedClock; readonly client: Redis },
  ) {
    this.#requests = requests
    this.#server = about.server
    this.#clock = about.clock
    this.#client = about.client
    this.#before = resourcesBeside(this.#client)
    this.#limiters = openLimiters(this.#client, window)
  }

  /** Of so many requests one is sent. */
  static async open(thin: number): Promise<VirtualWeek> {
    const why = whyNoSteppedServer()
    if (why !== undefined) throw new Error(`No virtual time: ${why}.`)
    const clock = new SteppedClock()
    const server = await RedisProcess.prepare([], { environment: clock.forServer() })
    await server.start()
    const client = new Redis(server.url)
    await client.ping()
    return new VirtualWeek(someOf(week(), thin), { server, clock, client })
  }

  async hour(): Promise<Sample> {
    const untilUs = ++this.#hours * hourUs
    this.#next ??= this.#following()
    while (this.#next !== undefined && this.#next.atUs < untilUs) {
      await this.#goTo(Math.floor(this.#next.atUs / secondUs))
      await this.#askAllOfSecond()
    }
    await this.#goTo(untilUs / secondUs)
    const memory = await this.#client.info('memory')
    const redis = Number(/used_memory:(\d+)/.exec(memory)?.[1])
    return { redis, keys: await this.#client.dbsize(), ...keptBeside(this.#client) }
  }

  #following(): Request | undefined {
    const { done, value } = this.#requests.next()
    return done ? undefined : value
  }

  /** What was begun in the second before ends in this one. */
  async #goTo(second: number): Promise<void> {
    if (second <= this.#second) return
    this.#clock.step(second)
    await this.#time.advance((second - this.#second) * 1000)
    this.#second = second
    await Promise.all(this.#inFlight.splice(0).map((place) => place.release()))
  }

  async #askAllOfSecond(): Promise<void> {
    const asked: Promise<void>[] = []
    for (; this.#next !== undefined && this.#next.atUs < (this.#second + 1) * secondUs; ) {
      asked.push(this.#ask(this.#next.client, this.#sent++))
      this.#next = this.#following()
    }
    await Promise.all(asked)
  }

  async #ask(key: string, nth: number): Promise<void> {
    await this.#limiters.count(key)
    if (nth % 4 === 0) this.#inFlight.push(await this.#limiters.enter(key))
    // Who waits has its turn when time goes on.
    if (nth % 50 !== 0) return
    const waiting = this.#limiters.standInLine().finally(() => this.#waiting.delete(waiting))
    this.#waiting.add(waiting)
  }

  async end(): Promise<Left & { readonly keysLeft: number }> {
    await this.#goTo(this.#second + 2)
    await Promise.all(this.#waiting)
    await this.#limiters.close()
    this.#time.restore()
    const after = resourcesBeside(this.#client)
    this.#clock.step(this.#second + longestLifeSeconds)
    // Redis looks for what has ended by its own timer.
    await until(async () => (await this.#client.dbsize()) === 0, { what: 'no key is left' }).catch(() => {})
    const keysLeft = await this.#client.dbsize()
    this.#client.disconnect()
    await this.#server.end()
    this.#clock.end()
    return { before: this.#before, after, tally: this.#limiters.tally, keysLeft }
  }
}

function* someOf<T>(all: Iterable<T>, thin: number): Generator<T> {
  let i = 0
  for (const each of all) if (i++ % thin === 0) yield each
}

let virtual: VirtualWeek
const begin = async (thin: number): Promise<void> => {
  virtual = await VirtualWeek.open(thin)
}
const hour = (): Promise<Sample> => virtual.hour()
const end = (): ReturnType<VirtualWeek['end']> => virtual.end()

export type VirtualDuties = { begin: typeof begin; hour: typeof hour; end: typeof end }
serve({ begin, hour, end } satisfies VirtualDuties)
