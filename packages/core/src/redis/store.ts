import { promisedAnswer } from '../answers.ts'
import type { Clock } from '../clock.ts'
import { optionError } from '../errors.ts'
import { Listeners } from '../listeners.ts'
import type { Policy } from '../policy.ts'
import type {
  Asker,
  Change,
  Check,
  Command,
  HeldLease,
  InLine,
  LinePlace,
  Preparing,
  Question,
  Renewal,
  Store,
  StoreListener,
  StoreRows,
} from '../store.ts'
import { partsOf } from '../strategies/policy-parts.ts'
import { type Batches, PendingQuestion } from './batches.ts'
import { BySlot } from './by-slot.ts'
import { Calls, type RedisStoreParts } from './calls.ts'
import { isCrossSlot, isReadOnly, isTooWide } from './client-errors.ts'
import { staysWithReplica } from './client-warnings.ts'
import type { Connection } from './connection.ts'

/**
 * One atomic script call for all that is asked, on the server's clock; on a cluster one for each slot. Unguarded: bound its waits
 * by a guard around it.
 */
export class RedisStore implements Store {
  readonly name = 'redis'
  readonly can = ['reward', 'set', 'line', 'blockFor', 'upTo'] as const
  /** Whether the connection shares nothing between calls. */
  readonly apart: boolean
  readonly prefix: string
  readonly #connection: Connection
  readonly #clock: Clock
  readonly #calls: Calls
  readonly #batches: Batches
  readonly #bySlot: BySlot
  #isClosed = false
  readonly #listeners = new Listeners()
  #slotsMatter: boolean
  /** How many probes in a row have met a replica, on the same connection. */
  #metReplica = 0

  constructor(parts: RedisStoreParts) {
    this.prefix = parts.prefix
    this.#connection = parts.connection
    this.apart = parts.connection.apart === true
    for (const warning of parts.connection.warnings ?? []) this.#listeners.warned(warning)
    this.#calls = new Calls(parts, (question, { error, pending }) => {
      if (isCrossSlot(error)) this.#mindSlots()
      return this.#bySlot.decide(question, pending)
    })
    this.#clock = this.#calls.clock
    this.#batches = this.#calls.batches
    this.#bySlot = new BySlot(this.#calls, (warning) => this.#listeners.warned(warning))
    this.#slotsMatter = parts.connection.nodeOf !== undefined
    parts.connection.whenLost?.(() => {
      this.#calls.refusals?.forgetAll()
      this.#metReplica = 0
      this.#listeners.lost()
    })
  }

  answer(question: Question): StoreRows | Promise<StoreRows> {
    return this.known(question) ?? promisedAnswer((asker) => this.answerTo(question, asker))
  }

  /** The repeated refusal of a key that was refused a moment ago. */
  known(question: Question): StoreRows | undefined {
    const { refusals } = this.#calls
    // Where none is kept the time does not matter.
    return refusals?.rowsFor(question, refusals.size > 0 ? this.#clock.nowUs() : 0)
  }

  /** Questions that come while calls are under way go together, each with an answer of its own. */
  answerTo(question: Question, asker: Asker): StoreRows | undefined {
    if (question.checks.length === 0) return []
    const asked = new PendingQuestion(question, asker, this.#clock.nowUs())
    if (this.#slotsMatter) this.#bySlot.put(asked)
    else this.#batches.put(asked)
    return undefined
  }

  adjust(changes: readonly Change[]): Promise<void> {
    return this.#through((calls) => calls.adjust(changes))
  }

  renew(held: readonly HeldLease[]): Promise<readonly Renewal[]> {
    return this.#through((calls) => calls.renew(held))
  }

  line(callers: readonly InLine[]): Promise<readonly LinePlace[]> {
    return this.#through((calls) => calls.line(callers))
  }

  /** Asks in one call until the server has refused keys of different slots, then in one call for each slot. */
  async #through<T>(ask: (calls: Calls | BySlot) => Promise<T>): Promise<T> {
    if (this.#slotsMatter) return ask(this.#bySlot)
    try {
      return await ask(this.#calls)
    } catch (error) {
      if (!isCrossSlot(error)) throw error
      this.#mindSlots()
      return ask(this.#bySlot)
    }
  }

  /** While a cluster moves the slot, a call may name no key but that of the state. */
  async manage(command: Command): Promise<unknown> {
    try {
      return await this.#calls.manage(command)
    } catch (error) {
      if (!isTooWide(error) || command.check.oneKey === true) throw error
      return this.#calls.manage({ ...command, check: { ...command.check, oneKey: true } })
    }
  }

  changed(checks: readonly Check[]): void {
    this.#calls.refusals?.changed(checks)
  }

  accept(policy: Policy, path: string): void {
    const { definition } = partsOf(policy)
    if (definition.redis !== undefined) return
    throw optionError(path, 'a strategy with a Lua half (`redis`), as this store needs', definition.name)
  }

  prepare(policies: readonly Policy[], about: Preparing): void {
    this.#calls.prepare(policies, about)
  }

  willBegin(asked: boolean): boolean {
    return this.#connection.willConnect?.(asked) ?? true
  }

  /** Resolves once the server answers, its clock is known, and it has the scripts of all limiters. */
  begin(): Promise<void> {
    return this.#calls.begin()
  }

  watch(listener: StoreListener): () => void {
    return this.#listeners.add(listener)
  }

  ready(): Promise<void> {
    return this.#calls.ready()
  }

  async probe(): Promise<void> {
    try {
      await this.#calls.probe()
      this.#metReplica = 0
    } catch (error) {
      if (isReadOnly(error) && ++this.#metReplica === 2) this.#listeners.warned(staysWithReplica)
      throw error
    }
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  close(): Promise<void> {
    this.#isClosed = true
    this.#bySlot.stop()
    return this.#connection.close()
  }

  /** A client for one server has met a cluster behind it: from now on there is one call for each slot. */
  #mindSlots(): void {
    if (this.#slotsMatter) return
    this.#slotsMatter = true
    this.#listeners.warned({
      code: 'SLUICE_CROSSSLOT',
      message:
        'the server belongs to a cluster, and the client is for a single server: each slot is asked by itself; give redisStore { cluster: [...] } or a cluster client',
    })
  }
}
