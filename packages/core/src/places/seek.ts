import { askStore, isLater } from '../answers.ts'
import type { AnySubject } from '../call-options.ts'
import type { Decision } from '../decision/decision.ts'
import type { LaneCheck, LaneQuestion } from '../decision/lane.ts'
import { decisionOf, unlimited } from '../decision/limiter-decision.ts'
import { optionError } from '../errors.ts'
import type { Policy } from '../policy.ts'
import type { StoreRows } from '../store.ts'
import { mustGoOn, sleepersOf, warnOfTooMany } from '../waiting/sleepers.ts'
import type { Ends, Wait } from '../waiting/wait.ts'
import { type Begun, type LineLimiter, placesOf, type WaitingCall } from './ability.ts'
import { waitForPlace } from './caller.ts'
import type { CallerInLine } from './line-here.ts'
import { linesIn } from './lines.ts'

/** Asks by a check, unless others of this process wait: a caller that finds room does not wait, and one that can never pass is refused. */
export function seekPlace(
  limiter: LineLimiter,
  subject: AnySubject,
  { options, wait }: WaitingCall,
): Decision | Promise<Decision> {
  const asked = limiter.checksOf(subject, options)
  mustGoOn(limiter, wait)
  const checks = limiter.lists?.screen(asked) ?? asked
  if ('listed' in checks) {
    const { check, listed } = checks
    return limiter.refuseListed(check.lane.name, { key: check.asked, listed, operation: 'reserve' })
  }
  const [first] = checks
  if (first === undefined) return unlimited(limiter)
  mustStandAlone(checks)
  limiter.places = placesOf(first)
  return new Seeker(limiter, checks, wait).seek()
}

class Seeker {
  readonly #limiter: LineLimiter
  readonly #question: LaneQuestion
  readonly #wait: Wait
  readonly #about: Begun
  /** The caller's arrival, if no caller of this process comes before it. */
  #first: CallerInLine | undefined

  constructor(limiter: LineLimiter, checks: readonly LaneCheck[], wait: Wait) {
    this.#limiter = limiter
    this.#question = { checks, charge: 'all-or-nothing', maxWaitUs: 0, take: true }
    this.#wait = wait
    this.#about = limiter.begin(this.#question, 'reserve')
  }

  seek(): Decision | Promise<Decision> {
    const arrival = this.#arrive()
    if (arrival !== undefined && !arrival.isFirst) {
      if (sleepersOf(this.#limiter).enter()) return this.#stand(arrival, undefined)
      arrival.leave()
    }
    this.#first = arrival?.isFirst === true ? arrival : undefined
    try {
      const answer = askStore(this.#limiter.store, this.#question)
      if (isLater(answer)) return this.#standLater(answer)
      const waiting = this.#mustWait(answer)
      return waiting === undefined ? this.#limiter.finish(answer, this.#about) : this.#stand(waiting, answer)
    } catch (error) {
      this.#first?.leave()
      throw error
    }
  }

  /** Puts the caller into the line of this process; undefined: it will not wait, whatever the store answers. */
  #arrive(): CallerInLine | undefined {
    const [check] = this.#question.checks
    const { maxWaitUs, priority = 0 } = this.#wait
    if (check === undefined || check.shadow || maxWaitUs === 0) return undefined
    if (check.cost === 0 || check.cost > check.policy.limit) return undefined
    return linesIn(this.#limiter.store).arrive(check, priority)
  }

  /** The arrival with which the caller waits; undefined: it need not wait, or must not. */
  #mustWait(rows: StoreRows): CallerInLine | undefined {
    try {
      mustGoOn(this.#limiter, this.#wait)
    } catch (error) {
      void decisionOf(this.#limiter, this.#question.checks, rows).release()
      throw error
    }
    const arrival = rows[0]?.reason === 'limited' ? (this.#first ?? this.#arrive()) : undefined
    if (arrival !== undefined && sleepersOf(this.#limiter).enter()) return arrival
    if (arrival !== undefined) warnOfTooMany(this.#limiter)
    arrival?.leave()
    this.#first?.leave()
    return undefined
  }

  /** No chain of promises: callers that are served together must go on in their order. */
  #standLater(answer: Promise<StoreRows>): Promise<Decision> {
    return new Promise((resolve, reject) => {
      answer
        .then((rows) => {
          const waiting = this.#mustWait(rows)
          if (waiting === undefined) resolve(this.#limiter.finish(rows, this.#about))
          else this.#standUntil(waiting, rows, { resolve, reject })
        })
        .catch((error: unknown) => {
          this.#first?.leave()
          reject(error)
        })
    })
  }

  #stand(arrival: CallerInLine, rows: StoreRows | undefined): Promise<Decision> {
    return new Promise((resolve, reject) => this.#standUntil(arrival, rows, { resolve, reject }))
  }

  #standUntil(arrival: CallerInLine, rows: StoreRows | undefined, { resolve, reject }: Ends<Decision>): void {
    const sinceMs = performance.now()
    const about = this.#about
    waitForPlace({ arrival, rows, wait: this.#wait }, sleepersOf(this.#limiter))
      .then((served) => {
        // The time in line is not part of the time that the store took.
        const startedAt = about.startedAt + performance.now() - sinceMs
        resolve(this.#limiter.finish(served, { ...about, startedAt }))
      })
      .catch(reject)
  }
}

/** Throws unless callers of the limiter can wait for a place. `verb`: what the caller has called. */
export function mustBeAbleToWait(limiter: LineLimiter, verb: 'wait' | 'run'): void {
  mustStandAlone(limiter.lanes)
  limiter.storeMustBeAble('line', verb)
}

/** Throws unless a policy with places decides alone: another one might refuse a caller when its turn has come. */
function mustStandAlone(checks: readonly { readonly policy: Policy | null }[]): void {
  const [only] = checks
  if (checks.length === 1 && only?.policy && placesOf({ policy: only.policy }) !== undefined) return
  const names = checks.map(({ policy }) => policy?.strategy ?? 'one chosen for each call').join(', ')
  const expected =
    'one policy, of concurrency, where callers wait for a place: use two limiters in a row, the waiting one first'
  throw optionError('policies', expected, names)
}
