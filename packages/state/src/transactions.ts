import type { Asker, Check } from '@sluice/core'
import { runtime, storeError, stores } from '@sluice/core/internal'
import { ReadStates, type StateWrite } from './states.ts'
import { isWaitedFor, type Turn, Turns } from './turns.ts'

/** The outcome of a change of states: the caller's result, and the states to write. */
export interface StateChange<T> {
  readonly result: T
  /** Only for keys that were read, and for each at most once. */
  readonly writes: readonly StateWrite[]
}

/**
 * Reads the states of these keys (null: there is none, or its time to live is over), lets `change` compute on them, and writes the
 * `writes` that it returns, in one atomic step. `nowUs` is the database's clock: whole microseconds since 1970. A transaction that is
 * tried again calls `change` again, which keeps nothing from one call to the next. Without keys it only asks for the time. `leftMs`: how
 * long callers wait for the result, so it rejects instead of waiting longer for a lock. Left out: callers wait without a deadline.
 */
export type Transact = <T>(
  keys: readonly string[],
  change: (states: readonly (string | null)[], nowUs: number) => StateChange<T>,
  leftMs?: number,
) => Promise<T>

/** A caller that may wait until a deadline only. */
type Caller = Pick<Asker, 'done' | 'expiresAt'>

/** Computes on states. Throws if this act alone has failed, and then none of its changes is written. */
export type Act<T> = (states: ReadStates, nowUs: number) => T

interface Call extends Turn {
  /** One check for each key, by the key's name. */
  readonly checks: ReadonlyMap<string, Check>
  readonly caller: Caller | undefined
  readonly act: Act<unknown>
  answer(result: unknown): void
  fail(error: unknown): void
}

type Outcome = { readonly result: unknown } | { readonly error: unknown }

/** Stands in no name, as control characters are escaped. */
const between = '\n'

/** The least `leftMs`: if this process was late, an answer is still tried for shortly after the caller's deadline. */
const leastLeftMs = 20

/** Runs acts on states. Acts that come together on one key share a transaction: one after another, each as if it were alone. */
export class Transactions {
  readonly #name: string
  readonly #transact: Transact
  /** Returns a text that no other transaction has. */
  readonly #nextMark: () => string
  readonly #turns: Turns<Call> = new Turns((together) => this.#run(together))

  constructor(name: string, transact: Transact, nextMark: () => string) {
    this.#name = name
    this.#transact = transact
    this.#nextMark = nextMark
  }

  /** Runs an act on the states of some keys. It takes nothing once its caller has gone. */
  run<T>(checks: readonly Check[], act: Act<T>, caller?: Caller): Promise<T> {
    return new Promise((answer, fail) => {
      const byName = new Map<string, Check>()
      for (const check of checks) byName.set(stores.stateName(check), check)
      const call: Call = {
        keys: [...byName.keys()],
        name: [...byName.keys()].sort().join(between),
        checks: byName,
        caller,
        act,
        answer: (result) => answer(result as T), // of this act
        fail,
      }
      // In a runtime where a promise of another request may never settle, calls do not wait for each other.
      if (runtime.requestsApart) void this.#run([call])
      else this.#turns.add(call)
    })
  }

  /** Asks the database for its time. */
  time(): Promise<void> {
    return this.#transact([], (_states, nowUs) => {
      this.#checkRead([], [], nowUs)
      return { result: undefined, writes: [] }
    })
  }

  /** Runs calls that share keys in one transaction. Never rejects. */
  async #run(together: readonly Call[]): Promise<void> {
    const checks = checksOf(together)
    // All processes use one order, so that transactions that lock keys one by one do not deadlock.
    const names = [...checks.keys()].sort()
    // The mark is the same in every attempt.
    const mark = this.#nextMark()
    const change = (texts: readonly (string | null)[], nowUs: number) => {
      this.#checkRead(texts, names, nowUs)
      return changeAll(together.filter(isWaitedFor), { checks, names, texts, nowUs, mark })
    }
    try {
      const outcomes = await this.#transact(names, change, leftMsOf(together))
      for (const [call, outcome] of outcomes) {
        if ('error' in outcome) call.fail(outcome.error)
        else call.answer(outcome.result)
      }
    } catch (error) {
      for (const call of together) call.fail(error)
    }
  }

  #checkRead(texts: readonly (string | null)[], names: readonly string[], nowUs: number): void {
    if (!Number.isSafeInteger(nowUs) || nowUs <= 0)
      throw storeError(this.#name, `transact: nowUs must be whole microseconds since 1970, and not ${nowUs}`)
    if (!Array.isArray(texts) || texts.length !== names.length)
      throw storeError(this.#name, `transact: ${names.length} keys want as many states, in their order`)
  }
}

/** How long the last of the callers still waits; undefined: one has no deadline, such as a refund, which nobody repeats. */
function leftMsOf(together: readonly Call[]): number | undefined {
  let latestMs = 0
  for (const { caller } of together) {
    if (caller?.expiresAt === undefined) return undefined
    latestMs = Math.max(latestMs, caller.expiresAt)
  }
  return Math.max(leastLeftMs, latestMs - performance.now())
}

/** One check for each key. */
function checksOf(together: readonly Call[]): ReadonlyMap<string, Check> {
  const [first, ...others] = together
  if (first === undefined || others.length === 0) return first?.checks ?? new Map()
  return new Map(together.flatMap(({ checks }) => [...checks]))
}

/** The states of a transaction, as they were read. */
interface Read {
  readonly checks: ReadonlyMap<string, Check>
  readonly names: readonly string[]
  readonly texts: readonly (string | null)[]
  readonly nowUs: number
  readonly mark: string
}

/** Runs all calls. One that fails takes nothing: all states are computed anew without it. */
function changeAll(calls: readonly Call[], read: Read): StateChange<ReadonlyMap<Call, Outcome>> {
  const failed = new Map<Call, Outcome>()
  for (;;) {
    const states = new ReadStates(read.nowUs, read.mark)
    const outcomes = new Map(failed)
    const wrong = actAll(states, read, { calls, outcomes })
    if (wrong === undefined) return { result: outcomes, writes: states.writes }
    failed.set(...wrong)
  }
}

/** Runs the calls that have no outcome yet. Returns the first that fails. */
function actAll(
  states: ReadStates,
  { checks, names, texts, nowUs }: Read,
  { calls, outcomes }: { readonly calls: readonly Call[]; readonly outcomes: Map<Call, Outcome> },
): [Call, Outcome] | undefined {
  for (const [i, name] of names.entries()) {
    const check = checks.get(name)
    if (check !== undefined) states.add(check, name, texts[i] ?? null)
  }
  for (const call of calls) {
    if (outcomes.has(call)) continue
    try {
      outcomes.set(call, { result: call.act(states, nowUs) })
    } catch (error) {
      return [call, { error }]
    }
  }
  return undefined
}
