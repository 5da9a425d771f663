import { type Clock, memoryStore, type Policy, type Store, type StoreRow } from '@sluice/core'
import { countedAhead, StoresAround } from '../../src/ahead/guard.ts'
import type { AheadStore, Inner } from '../../src/ahead/store.ts'
import { makeRow } from '../../src/row.ts'
import {
  type Asker,
  type Change,
  type Check,
  type Command,
  healthOf,
  type Question,
  type StoreRows,
} from '../../src/store.ts'
import { Waiting } from '../../src/waiting/deadlines.ts'

/** Numbers from 0 to 1, the same for each seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

interface Event {
  readonly atUs: number
  /** 'done' if nothing follows from it that awaits something. */
  run(): unknown
}

/** Time that goes from event to event. */
export class VirtualTime {
  nowUs = 1_700_000_000_000_000
  readonly #events: Event[] = []

  at(atUs: number, run: () => unknown): void {
    const event = { atUs: Math.max(atUs, this.nowUs), run }
    let place = this.#events.length
    this.#events.push(event)
    while (place > 0) {
      const above = (place - 1) >> 1
      const other = this.#events[above]
      if (other === undefined || other.atUs <= event.atUs) break
      this.#events[place] = other
      this.#events[above] = event
      place = above
    }
  }

  passing(us: number): Promise<void> {
    return new Promise((resolve) => this.at(this.nowUs + us, resolve))
  }

  async until(atUs: number): Promise<void> {
    for (let next = this.#next(atUs); next !== undefined; next = this.#next(atUs)) {
      this.nowUs = next.atUs
      if (next.run() === 'done') continue
      // All that follows from it happens at its instant.
      for (let i = 0; i < 20; i++) await Promise.resolve()
    }
    this.nowUs = atUs
  }

  #next(untilUs: number): Event | undefined {
    const [first] = this.#events
    if (first === undefined || first.atUs > untilUs) return undefined
    const last = this.#events.pop()
    if (last === undefined || last === first) return first
    let place = 0
    for (;;) {
      const left = 2 * place + 1
      const right = this.#events[left + 1]
      const least = right !== undefined && right.atUs < (this.#events[left]?.atUs ?? 0) ? left + 1 : left
      const below = this.#events[least]
      if (below === undefined || below.atUs >= last.atUs) break
      this.#events[place] = below
      place = least
    }
    this.#events[place] = last
    return first
  }
}

/** A row that says when the server made it. */
interface ServedRow extends StoreRow {
  readonly servedUs?: number
}

/** One server for all processes. */
export class Server {
  readonly time: VirtualTime
  readonly #store: Store
  calls = 0
  /** How far its clock is ahead of true time. */
  aheadUs = 0
  /** Of the first question. */
  firstUs: number | undefined

  constructor(time: VirtualTime) {
    this.time = time
    this.#store = memoryStore({ clock: { nowUs: () => time.nowUs + this.aheadUs } })
  }

  answer(question: Question): StoreRows {
    this.calls++
    const servedUs = this.time.nowUs
    this.firstUs ??= servedUs
    const rows = this.#store.answer(question) as StoreRows // memory answers at once
    return rows.map((row) => ({ ...row, servedUs }))
  }

  adjust(changes: readonly Change[]): void {
    this.calls++
    void this.#store.adjust(changes)
  }

  manage(command: Command): unknown {
    return this.#store.manage(command)
  }
}

/** What may happen to a process and its calls. */
export interface Trouble {
  /** One way, in µs. */
  latencyUs(): number
  /** The server takes, and its reply never comes: the caller is refused. */
  losesReply(): boolean
}

/** What a process's own clock shows. */
interface OwnClock {
  /** Beyond the server's at the beginning. */
  readonly offsetUs: number
  /** Its part by which it runs faster. @default 0 */
  readonly drift?: number
}

/** One process, with a clock of its own whose zero is anywhere. */
export class Process {
  readonly units: AheadStore
  readonly #ahead = new StoresAround()
  readonly #server: Server
  readonly #trouble: Trouble
  readonly #clock: Clock
  /** Nothing runs here before that. */
  pausedUntilUs = 0
  dead = false

  constructor(
    server: Server,
    aheadUs: number,
    { trouble, offsetUs, drift = 0 }: OwnClock & { trouble: Trouble },
  ) {
    this.#server = server
    this.#trouble = trouble
    const { time } = server
    const startUs = time.nowUs
    this.#clock = {
      nowUs: () => Math.floor(offsetUs + startUs + (time.nowUs - startUs) * (1 + drift)),
      sleep: (ms) => this.#later((ms * 1000) / (1 + drift)),
    }
    this.units = this.#ahead.add(this.#remote(), aheadUs)
  }

  #remote(): Inner {
    return {
      name: 'remote',
      clock: this.#clock,
      answer: (question) => this.#call(() => this.#server.answer(question)),
      begin: () => new Waiting(Number.POSITIVE_INFINITY),
      answerTo: (question, asker) => void this.#answerLater(question, asker),
      answerWithout: ({ checks }) => checks.map(({ policy }) => unanswered(policy)),
      adjust: (changes) =>
        this.#call(() => {
          if (!this.#trouble.losesReply()) this.#server.adjust(changes)
        }),
      manage: async () => {},
      changed: () => {},
      health: () => healthOf('remote'),
    }
  }

  async #answerLater(question: Question, asker: Asker): Promise<void> {
    const rows = await this.#call(() => this.#server.answer(question))
    if (this.#trouble.losesReply()) asker.failed(new Error('lost'))
    else asker.answered(rows)
  }

  /** Calls overtake each other. */
  async #call<T>(serve: () => T): Promise<T> {
    await this.#server.time.passing(this.#trouble.latencyUs())
    const answer = serve()
    await this.#later(this.#trouble.latencyUs())
    return answer
  }

  manage(command: Command): Promise<unknown> {
    return this.#ahead.manage(command, () => this.#call(() => this.#server.manage(command)))
  }

  /** An act without a command of its own: a penalty, or a reward. */
  adjust(changes: readonly Change[]): Promise<void> {
    return this.#ahead.adjust(changes, (all) => this.#call(() => this.#server.adjust(all)))
  }

  /** Here things go on only while the process runs. */
  async #later(us: number): Promise<void> {
    await this.#server.time.passing(us)
    while (this.pausedUntilUs > this.#server.time.nowUs)
      await this.#server.time.passing(this.pausedUntilUs - this.#server.time.nowUs)
    if (this.dead) await new Promise(() => {})
  }

  get runs(): boolean {
    return !this.dead && this.pausedUntilUs <= this.#server.time.nowUs
  }

  /** Asks for units; `admitted` gets the instant at which they were used: by the server's reply, that of the reply. 'done': answered at once. */
  ask(checks: readonly Check[], admitted: (atUs: number) => void): 'done' | undefined {
    const answer = this.units.answer({ checks, charge: 'all-or-nothing', maxWaitUs: 0, take: true })
    const heard = (rows: StoreRows) => {
      if (this.dead || !rows.every(({ allowed }, i) => allowed || checks[i]?.shadow === true)) return
      const [row] = rows as readonly ServedRow[]
      admitted(row?.servedUs ?? this.#server.time.nowUs)
    }
    if (answer instanceof Promise) {
      answer.then(heard, () => {})
      return undefined
    }
    heard(answer)
    return 'done'
  }
}

function unanswered({ limit }: Policy): StoreRow {
  return makeRow({ limit, remaining: 0, retryAfterUs: 0, resetAfterUs: 0 }, 'store-unavailable', '')
}

const countedPolicies = new WeakMap<Policy, Map<number, Policy>>()

/** Made once, as a limiter makes it. */
function countedOnce(policy: Policy, aheadUs: number): Policy {
  const ofPolicy = countedPolicies.get(policy) ?? new Map<number, Policy>()
  countedPolicies.set(policy, ofPolicy)
  const made = ofPolicy.get(aheadUs) ?? countedAhead(policy, 'p', aheadUs)
  ofPolicy.set(aheadUs, made)
  return made
}

/** A check of a policy that is counted ahead, as a limiter makes it. */
export function checkOf(policy: Policy, aheadUs: number, { key = 'hot', cost = 1, id = 'l:p' } = {}): Check {
  return {
    id,
    policy: countedOnce(policy, aheadUs),
    key,
    cost,
    note: undefined,
    shadow: false,
    onStoreFailure: 'local',
  }
}
