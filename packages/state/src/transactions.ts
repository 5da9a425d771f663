import type { Asker, Check } from '@sluice/core'
import { runtime, storeError, stores } from '@sluice/core/internal'
import { ReadStates, type StateWrite } from './states.ts'
import { isWaitedFor, type Turn, Turns } from './turns.ts'

/** What a change of states makes of them: the caller's result, and what is to be written. */
export interface StateChange<T> {
  readonly result: T
  /** Of keys that were read, each once. */
  readonly writes: readonly StateWrite[]
}

/**
 * Reads the states of these keys (null: there is none, or its time to live is over), lets `change` compute on them, and writes what it
 * says, as one step that nothing else comes between. `nowUs` is the database's clock: whole microseconds since 1970. A transaction
 * that is tried again calls `change` again, which keeps nothing from one call to the next. Without keys it only asks for the time.
 * `leftMs`: nobody waits longer for the result, so it rejects instead of waiting longer for a lock. Left out: somebody does.
 */
export type Transact = <T>(
  keys: readonly string[],
  change: (states: readonly (string | null)[], nowUs: number) => StateChange<T>,
  leftMs?: number,
) => Promise<T>

/** A caller that may wait until a deadline only. */
type Caller = Pick<Asker, 'done' | 'expiresAt'>

/** What computes on states. It throws where it alone has failed, and then nothing of it is written. */
export type Act<T> = (states: ReadStates, nowUs: number) => T

interface Call extends Turn {
  /** One of each key. */
  readonly checks: ReadonlyMap<string, Check>
  readonly caller: Caller | undefined
  readonly act: Act<unknown>
  answer(result: unknown): void
  fail(error: unknown): void
}

type Outcome = { readonly result: unknown } | { readonly error: unknown }

/** In no name, as control characters are escaped. */
const between = '\n'

/** A caller is still looked for shortly after its deadline where this process was late. */
const leastLeftMs = 20

/** Acts on states, those of one key that come together in one transaction, one after another, each as if it were alone. */
export class Transactions {
  readonly #name: string
  readonly #transact: Transact
  /** A text that no other transaction has. */
  readonly #nextMark: () => string
  readonly #turns: Turns<Call> = new Turns((together) => this.#run(together))

  constructor(name: string, transact: Transact, nextMark: () => string) {
    this.#name = name
    this.#transact = transact
    this.#nextMark = nextMark
  }

  /** Takes nothing once its caller has gone. */
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
      // Where a promise of another request may never have an outcome, nobody waits for one.
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

  /** Calls that share keys. Never rejects. */
  async #run(together: readonly Call[]): Promise<void> {
    const checks = checksOf(together)
    // In one order in all processes: one that locks them one by one meets none that does so the other way round.
    const names = [...checks.keys()].sort()
    // The same in every attempt.
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

/** Of those who wait until a deadline, the longest; undefined: there is none. */
function leftMsOf(together: readonly Call[]): number | undefined {
  let latestMs: number | undefined
  for (const { caller } of together)
    if (caller?.expiresAt !== undefined) latestMs = Math.max(latestMs ?? 0, caller.expiresAt)
  return latestMs === undefined ? undefined : Math.max(leastLeftMs, latestMs - performance.now())
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

/** What fails takes nothing: all that it may have changed is computed anew without it. */
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

/** The first that fails. */
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
