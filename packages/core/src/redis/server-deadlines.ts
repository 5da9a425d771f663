import type { Clock } from '../clock.ts'
import { type StoreError, storeError } from '../errors.ts'
import type { Asker } from '../store.ts'
import { instantText } from '../units.ts'
import { withoutKeys } from './client-errors.ts'
import type { Argument, Connection, Script } from './connection.ts'
import { integerOf, listOf, timeOf } from './reply.ts'

/** Measures of how far two clocks are apart count in their window and in the next, as clocks drift. */
const windowUs = 10_000_000

/** By how much the server's clock is ahead of ours, at least and at most. */
interface Ahead {
  leastUs: number
  mostUs: number
}

/**
 * The server's clock, as its replies show it: a reply's TIME was read after its call was sent and before the reply was heard. Several
 * replies narrow the bounds together, so a slow reply says less, and nothing wrong.
 */
export class ServerClock {
  #ahead: Ahead | undefined
  #fresh: Ahead | undefined
  #freshSinceUs = Number.NEGATIVE_INFINITY

  get known(): boolean {
    return this.#ahead !== undefined
  }

  /** The earliest time that the server may have at a local time: a deadline by it is never too late there, however slow replies were. */
  earliest(localUs: number): number {
    return localUs + (this.#ahead?.leastUs ?? 0)
  }

  /** The latest time that the server may have: a wait by it is never too long here. */
  latest(localUs: number): number {
    return localUs + (this.#ahead?.mostUs ?? 0)
  }

  observe(serverUs: number, sentUs: number, heardUs: number): void {
    if (sentUs - this.#freshSinceUs > windowUs) {
      this.#ahead = this.#fresh
      this.#fresh = undefined
      this.#freshSinceUs = sentUs
    }
    const leastUs = serverUs - heardUs
    const mostUs = serverUs - sentUs
    this.#fresh = narrowed(this.#fresh, leastUs, mostUs)
    this.#ahead = narrowed(this.#ahead, leastUs, mostUs)
  }
}

/** Narrows the known bounds, in place, by a second measure. If the two contradict each other a clock was set: only the second counts. */
function narrowed(known: Ahead | undefined, leastUs: number, mostUs: number): Ahead {
  if (known === undefined || known.leastUs > mostUs || known.mostUs < leastUs) return { leastUs, mostUs }
  if (known.leastUs < leastUs) known.leastUs = leastUs
  if (known.mostUs > mostUs) known.mostUs = mostUs
  return known
}

/** When a call was asked for, and the caller that waits for its answer. */
export interface Pending {
  readonly askedUs: number
  readonly waiting: Pick<Asker, 'done'>
}

export function tooLate(): StoreError {
  return storeError('redis', 'the store answered too late')
}

/** Writes into a call until when the server may take for each question: the deadline after it was asked, by the server's clock. */
export function setDeadlines(
  args: Argument[],
  batch: readonly Pick<Pending, 'askedUs'>[],
  { clock, deadlineUs }: { clock: ServerClock; deadlineUs: number },
): void {
  let firstUs = batch[0]?.askedUs ?? 0
  for (let i = 1; i < batch.length; i++) firstUs = Math.min(firstUs, batch[i]?.askedUs ?? firstUs)
  args[0] = instantText(clock.earliest(firstUs + deadlineUs))
  if (batch.length > 1) args[1] = longerThan(firstUs, batch)
}

/** By how many whole milliseconds after `firstUs` the questions were asked: "COUNT:MS" for each run of equal ones. */
function longerThan(firstUs: number, batch: readonly Pick<Pending, 'askedUs'>[]): string {
  let text = ''
  let count = 0
  let ms = 0
  for (const { askedUs } of batch) {
    const longerMs = Math.floor((askedUs - firstUs) / 1000)
    if (longerMs !== ms && count > 0) {
      text += `${count}:${ms} `
      count = 0
    }
    ms = longerMs
    count++
  }
  return ms === 0 && text === '' ? '' : `${text}${count}:${ms}`
}

/**
 * A call of a script that compares its first argument with the server's time, unless that is 0: if it starts later, it takes nothing,
 * and may answer the time alone. Each of its replies begins with the time.
 */
export interface CallWithDeadline<T> {
  readonly script: Script
  readonly keys: readonly string[]
  /** The first is a place for the instant. */
  readonly args: Argument[]
  read(reply: readonly unknown[]): T
}

/** Calls that take nothing once their deadline has passed, by the server's clock, which is learned from its replies. */
export class ServerDeadlines {
  readonly clock: Clock
  /** 0: calls have no deadline. */
  readonly deadlineUs: number
  readonly #connection: Connection
  readonly #serverClock = new ServerClock()
  /** By name, as every server of a cluster has a clock of its own. */
  readonly #serverClocks = new Map<string, ServerClock>()

  constructor(connection: Connection, { clock, deadlineUs }: { clock: Clock; deadlineUs: number }) {
    this.#connection = connection
    this.clock = clock
    this.deadlineUs = deadlineUs
  }

  /** Runs a call again that took nothing: the server's clock was set, or this process paused before it sent the call. */
  async run<T>(call: CallWithDeadline<T>, { askedUs }: Pick<Pending, 'askedUs'>): Promise<T> {
    const { script, keys, args } = call
    let sentUs = askedUs
    // While the server's clock is unknown, a script could not see that it is late.
    if (this.deadlineUs > 0 && !this.clockFor(keys[0]).known) {
      await this.askTime(keys[0])
      sentUs = this.#inTime(askedUs)
    }
    for (;;) {
      const serverClock = this.clockFor(keys[0])
      args[0] = this.deadlineUs === 0 ? 0 : serverClock.earliest(askedUs + this.deadlineUs)
      let reply: unknown
      try {
        reply = await this.#connection.run(script, keys, args)
      } catch (error) {
        throw withoutKeys(error)
      }
      const values = listOf(reply)
      serverClock.observe(integerOf(values[0]), sentUs, this.clock.nowUs())
      if (values.length > 1 || this.deadlineUs === 0) return call.read(values)
      sentUs = this.#inTime(askedUs)
    }
  }

  /** The present instant. Throws once nobody waits for what was asked at `askedUs`. */
  #inTime(askedUs: number): number {
    const nowUs = this.clock.nowUs()
    if (nowUs - askedUs <= this.deadlineUs) return nowUs
    throw tooLate()
  }

  /** Learns the clock of the server that holds `key`; left out: of any. */
  async askTime(key?: string): Promise<void> {
    const sentUs = this.clock.nowUs()
    const onNode = this.#connection.nodeOf === undefined ? undefined : key
    try {
      const time = await this.#connection.send('TIME', [], onNode)
      this.clockFor(onNode).observe(timeOf(time), sentUs, this.clock.nowUs())
    } catch (error) {
      throw withoutKeys(error)
    }
  }

  /** Learns the clocks of all servers of a cluster that answer. */
  async askTimes(): Promise<void> {
    if (this.#connection.nodeNames === undefined) return
    const sentUs = this.clock.nowUs()
    const names = this.#connection.nodeNames()
    const times = (await this.#connection.sendToAll?.('TIME', []).catch(() => [])) ?? []
    const heardUs = this.clock.nowUs()
    for (const [i, time] of times.entries())
      this.#clockOf(names[i] ?? '').observe(timeOf(time), sentUs, heardUs)
  }

  /** A slot that has moved to another server looks like a clock that was set. */
  clockFor(key: string | undefined): ServerClock {
    if (key === undefined || this.#connection.nodeOf === undefined) return this.#serverClock
    return this.#clockOf(this.#connection.nodeOf(key))
  }

  #clockOf(server: string): ServerClock {
    const known = this.#serverClocks.get(server)
    if (known !== undefined) return known
    const serverClock = new ServerClock()
    this.#serverClocks.set(server, serverClock)
    return serverClock
  }
}
