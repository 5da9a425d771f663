import type { Duration } from '@sluice/core'
import {
  checkNames,
  codedError,
  isDateFake,
  monotonicClock,
  optionError,
  runningTime,
  stepUs,
} from '@sluice/core/internal'
import { turn } from './turn.ts'

export interface FreezeOptions {
  /**
   * Names of stores that may have open limiters although their time goes on. An open limiter on any other store that has a
   * time of its own is an error. @default []
   *
   * @example freeze({ except: ['redis'] })
   */
  except?: readonly string[] | undefined
}

/** Time that stands still until it is advanced. */
export interface FrozenTime {
  /**
   * Lets time pass, or come to an instant: callers that wait on the way are woken in their order, each at its own time, and leases
   * are renewed.
   *
   * @example await time.advance('1m')
   * @example await time.advance(new Date('2030-01-01T00:00:00Z'))
   */
  advance(by: Duration | Date): Promise<void>
  /** Lets time run again, from here on: it never steps back. Has no effect the second time. */
  restore(): void
  /** `restore`, for `using time = freeze()`. */
  [Symbol.dispose](): void
}

function freezeError(message: string): Error {
  return codedError(message, { code: 'SLUICE_FREEZE' })
}

function ownTime(store: string, limiter: string): Error {
  return freezeError(
    `limiter "${limiter}" counts in store "${store}", which freeze() cannot move: it counts by a time of its own, such as its server's. Give it a memoryStore() in this test, close it, or let its time go on: freeze({ except: ['${store}'] })`,
  )
}

/** The stores with a time of their own, and their open limiters, without those that were garbage-collected. */
function unmoved() {
  return [...monotonicClock.unmoved].flatMap((each) => {
    const open = each.deref()
    if (open === undefined) monotonicClock.unmoved.delete(each)
    return open ?? []
  })
}

function readExcept(options: FreezeOptions): readonly string[] {
  checkNames(options, '', ['except'])
  const { except = [] } = options
  if (Array.isArray(except) && except.every((name) => typeof name === 'string')) return except
  throw optionError('except', 'a list of names of stores', except)
}

class StandingTime implements FrozenTime {
  #nowUs = monotonicClock.nowUs()
  #over = false
  #advanced: Promise<void> = Promise.resolve()

  constructor(except: readonly string[]) {
    const accept = (store: string, limiter: string) => {
      if (!except.includes(store)) throw ownTime(store, limiter)
    }
    for (const { store, limiters } of unmoved()) for (const limiter of limiters.keys()) accept(store, limiter)
    monotonicClock.frozen = { accept }
    monotonicClock.nowUs = () => this.#nowUs
    turnAll()
  }

  advance(by: Duration | Date): Promise<void> {
    // Calls that do not wait for each other follow one another.
    const advanced = this.#advanced.then(() => this.#goTo(this.#instantUs(by)))
    this.#advanced = advanced.catch(() => {})
    return advanced
  }

  #instantUs(by: Duration | Date): number {
    if (this.#over) throw freezeError('time was restored and runs by itself: freeze() again to move it')
    // Not by `instanceof`: a runner may have faked `Date` meanwhile.
    if (typeof by !== 'object' || !('getTime' in Object(by))) return this.#nowUs + stepUs(by, 'by')
    const untilUs = by.getTime() * 1000
    if (untilUs >= this.#nowUs) return untilUs
    const now = new Date(this.#nowUs / 1000).toISOString()
    throw optionError('by', `an instant that is not before the frozen time, ${now}`, by)
  }

  async #goTo(untilUs: number): Promise<void> {
    // A caller that has just asked may be about to wait.
    await turn()
    for (let next = nextAgenda(); !this.#over && next.firstMs * 1000 <= untilUs; next = nextAgenda()) {
      this.#nowUs = Math.max(this.#nowUs, Math.ceil(next.firstMs * 1000))
      next.look()
      await turn()
    }
    this.#nowUs = Math.max(this.#nowUs, untilUs)
  }

  restore(): void {
    if (this.#over) return
    this.#over = true
    const aheadUs = this.#nowUs - runningTime.nowUs()
    const { nowUs } = runningTime
    monotonicClock.nowUs = aheadUs > 0 ? () => nowUs() + (isDateFake() ? 0 : aheadUs) : nowUs
    monotonicClock.frozen = undefined
    turnAll()
  }

  [Symbol.dispose](): void {
    this.restore()
  }
}

const nothing = { firstMs: Number.POSITIVE_INFINITY, look: () => {} }

function nextAgenda(): { readonly firstMs: number; look(): void } {
  return [...monotonicClock.agendas].reduce<typeof nothing>(
    (first, each) => (each.firstMs < first.firstMs ? each : first),
    nothing,
  )
}

function turnAll(): void {
  for (const agenda of [...monotonicClock.agendas]) agenda.turned()
}

/**
 * Stops the time of everything that counts in this process's memory, made before or afterwards: limiters, callers that wait for them,
 * and queues in memory. The application's code stays as it is. `Date` and timers are left alone.
 *
 * @example
 * const time = freeze()
 * await limiter.check('bob')
 * await time.advance('1m')
 * time.restore()
 */
export function freeze(options: FreezeOptions = {}): FrozenTime {
  // It names no option that could be wrong.
  if (options instanceof Date)
    throw optionError('options', 'no instant: time stands still now, and advance(date) comes to it', options)
  const except = readExcept(options)
  if (monotonicClock.frozen !== undefined)
    throw freezeError('time is frozen already: restore() it first, for example in afterEach()')
  return new StandingTime(except)
}
