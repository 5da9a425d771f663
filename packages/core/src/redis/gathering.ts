import { soon } from '../runtime.ts'
import type { Check, Question } from '../store.ts'
import { partsOf } from '../strategies/policy-parts.ts'
import type { PendingQuestion } from './batch-call.ts'

/** So many calls may be under way: the server works on one while this process reads the other. */
const mostUnderWay = 2
/**
 * No question waits longer than this for others. Where a round trip takes longer, as to another region, or a call is never over, more
 * than two are under way.
 */
const longestMs = 2
/** Fewer questions are not shared out over the calls: each call has a price of its own. */
const leastShared = 16

export interface GatheringParts {
  /** Sends questions in one call and answers them; `over` gets those that are to be sent again. Never throws. */
  readonly send: (
    batch: readonly PendingQuestion[],
    over: (again: readonly PendingQuestion[]) => void,
  ) => void
  /** How much work one call may be. */
  readonly mostWork: () => number
}

/**
 * The questions for one server, or one slot of a cluster. One that comes alone is sent at once. While calls are under way further
 * ones gather, and go together when one is over, in the order in which they came.
 */
export class Gathering {
  readonly #parts: GatheringParts
  #waiting: PendingQuestion[] = []
  #underWay = 0
  /** How many questions are in the calls that are under way. */
  #sent = 0
  #scheduled = false
  #timer: NodeJS.Timeout | undefined

  constructor(parts: GatheringParts) {
    this.#parts = parts
  }

  add(asked: PendingQuestion): void {
    this.#waiting.push(asked)
    this.#schedule()
  }

  /** Sends all that waits, so that what is sent next comes after it. */
  sendAll(): void {
    while (this.#waiting.length > 0) this.#sendNext()
  }

  /** The same, where something that waits asks for this key. */
  sendIfAsked({ id, key }: Check): void {
    const asks = ({ question }: PendingQuestion) =>
      question.checks.some((check) => check.key === key && check.id === id)
    if (this.#waiting.length > 0 && this.#waiting.some(asks)) this.sendAll()
  }

  /** Once all that is asked in this turn is there. */
  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    soon(this.#sendWhatMayGo)
  }

  readonly #sendWhatMayGo = (): void => {
    this.#scheduled = false
    while (this.#waiting.length > 0 && this.#underWay < mostUnderWay) this.#sendNext()
    if (this.#waiting.length > 0) this.#timer ??= setTimeout(this.#sendLate, longestMs)
  }

  readonly #sendLate = (): void => {
    this.#timer = undefined
    this.sendAll()
  }

  #sendNext(): void {
    const batch = this.#next()
    this.#underWay++
    this.#sent += batch.length
    this.#parts.send(batch, (again) => this.#over(batch, again))
  }

  #over(batch: readonly PendingQuestion[], again: readonly PendingQuestion[]): void {
    this.#underWay--
    this.#sent -= batch.length
    if (again.length > 0) this.#waiting.unshift(...again)
    if (this.#waiting.length > 0) this.#schedule()
  }

  /** The first ones, at least one, as far as they fit into one call, and no more than its share of all. */
  #next(): readonly PendingQuestion[] {
    const waiting = this.#waiting
    if (waiting.length === 1) {
      this.#waiting = []
      return waiting
    }
    const most = this.#parts.mostWork()
    const share = Math.max(leastShared, Math.ceil((waiting.length + this.#sent) / mostUnderWay))
    let work = 0
    let count = 0
    for (const { question } of waiting) {
      work += workOf(question)
      if (count > 0 && (work > most || count === share)) break
      count++
    }
    if (count < waiting.length) return waiting.splice(0, count)
    this.#waiting = []
    return waiting
  }
}

/** How much work a question is for the server, in checks of the usual size: it also writes an entry for each unit, and notes. */
export function workOf({ checks }: Question): number {
  let work = checks.length
  for (const check of checks) work += moreWorkOf(check)
  return work
}

function moreWorkOf({ policy, cost, note }: Check): number {
  const { wants } = partsOf(policy).definition
  return wants === undefined ? 0 : Math.floor((cost + (note?.length ?? 0)) / 16)
}
