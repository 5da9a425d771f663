import { PromisedAnswer, tellAsker } from '../answers.ts'
import { soon } from '../runtime.ts'
import type { Asker, Check, Question, StoreRows } from '../store.ts'
import { partsOf } from '../strategies/policy-parts.ts'
import type { CallParts } from './check-arguments.ts'
import { isTooWide, withoutKeys } from './client-errors.ts'
import { type Connection, type ReplyListener, runFor } from './connection.ts'
import type { ConstantScripts } from './constant-calls.ts'
import { BatchCall, batchCall, type DecideCall, OneCall, type Outcome } from './decide-calls.ts'
import type { RecentRefusals } from './recent-refusals.ts'
import type { Scripts } from './scripts.ts'
import {
  type Pending,
  type ServerClock,
  type ServerDeadlines,
  setDeadlines,
  tooLate,
} from './server-deadlines.ts'

/** A question on its way to the server, and the asker that waits for its rows. Made by a constructor: decision/lane.ts says why. */
export class PendingQuestion implements Pending {
  declare readonly question: Question
  declare readonly waiting: Asker
  /** Begins anew where the question is sent again. */
  declare askedUs: number

  constructor(question: Question, waiting: Asker, askedUs: number) {
    this.question = question
    this.waiting = waiting
    this.askedUs = askedUs
  }
}

/** At most this many calls are under way: the server works on one while this process reads the other. */
const mostUnderWay = 2
/**
 * No question waits longer than this for the end of another call. Where a round trip takes longer, as to another region, or a call
 * never ends, more than two calls are under way.
 */
const longestMs = 2
/** Fewer questions than this are not split over several calls, as each call has a price of its own. */
const leastShared = 16
/** After so long without a call the queue rests. Callers that ask again as soon as they are answered come sooner. */
const restUs = 1000

/** Called when a call is over, with the questions that are to be sent again, and the time on the clock of `askedUs`. */
type Over = (again: readonly PendingQuestion[], nowUs: number) => void

interface Sender {
  /** How much work one call may be. */
  readonly mostWork: number
  /** Sends questions in one call and answers them. Never throws. */
  send(batch: readonly PendingQuestion[], over: Over): void
}

/**
 * The questions for one server, or one slot of a cluster. A question that comes alone is sent at once. While calls are under way
 * further questions gather, and go together when a call is over, in the order in which they came. After a rest the first of many
 * questions does not wait for the others: the server and the connection wake up while those are asked.
 */
export class BatchQueue {
  readonly #sender: Sender
  #waiting: PendingQuestion[] = []
  /** Calls under way, except the first one after a rest: questions that come with it do not wait for its answer. */
  #underWay = 0
  /** How many questions are in the calls that are under way. */
  #sent = 0
  /** Since when nothing is under way. */
  #restsSinceUs = 0
  #scheduled = false
  #timer: NodeJS.Timeout | undefined

  constructor(sender: Sender) {
    this.#sender = sender
  }

  add(asked: PendingQuestion): void {
    this.#waiting.push(asked)
    // Another question of this turn has come before.
    if (this.#scheduled) return
    if (this.#sent === 0 && asked.askedUs - this.#restsSinceUs >= restUs) this.#sendNext(0)
    else this.#schedule()
  }

  /** Sends all that waits, so that what is sent next comes after it. */
  sendAll(): void {
    while (this.#waiting.length > 0) this.#sendNext()
  }

  /** Sends all that waits if a question among it asks for this key. */
  sendIfAsked({ id, key }: Check): void {
    const asks = ({ question }: PendingQuestion) =>
      question.checks.some((check) => check.key === key && check.id === id)
    if (this.#waiting.length > 0 && this.#waiting.some(asks)) this.sendAll()
  }

  /** Sends once all that is asked in this turn is there. */
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

  #sendNext(counted = 1): void {
    const batch = this.#next()
    this.#underWay += counted
    this.#sent += batch.length
    this.#sender.send(batch, (again, nowUs) => {
      this.#underWay -= counted
      this.#sent -= batch.length
      if (this.#sent === 0) this.#restsSinceUs = nowUs
      if (again.length > 0) this.#waiting.unshift(...again)
      if (this.#waiting.length > 0) this.#schedule()
    })
  }

  /** Takes the first questions: at least one, as many as fit into one call, and no more than the call's share of all. */
  #next(): readonly PendingQuestion[] {
    const waiting = this.#waiting
    if (waiting.length === 1) {
      this.#waiting = []
      return waiting
    }
    const most = this.#sender.mostWork
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

/** How much work a question is for the server, in checks of the usual size. Some strategies also write notes, and an entry per unit. */
export function workOf({ checks }: Question): number {
  let work = checks.length
  for (const check of checks) work += moreWorkOf(check)
  return work
}

function moreWorkOf({ policy, cost, note }: Check): number {
  const { wants } = partsOf(policy).definition
  return wants === undefined ? 0 : Math.floor((cost + (note?.length ?? 0)) / 16)
}

/** Decides a question that one call could not decide, as its keys do not lie in one place. That call has taken nothing. */
export type InParts = (
  question: Question,
  { error, pending }: { error: unknown; pending: Pending },
) => Promise<StoreRows>

export interface BatchesParts {
  readonly connection: Connection
  readonly deadlines: ServerDeadlines
  readonly call: CallParts
  readonly scripts: {
    readonly decide: Scripts
    readonly decideOne: Scripts
    readonly constant: ConstantScripts
  }
  readonly inParts: InParts
  /** Left out: no refusal is repeated without asking the server. */
  readonly refusals: RecentRefusals | undefined
}

/** A script holds up all clients of its server for no longer than this. */
const longestScriptUs = 500
/** What a check is taken to cost a script before any was measured. */
const usualCheckUs = 5
/** The bounds of one call's work. Calls of half the least are still measured; see decide.lua. */
const [leastWork, mostWork] = [8, 128]
/** Where a check took longer than before, only this part of the difference (1/8) counts. */
const slowness = 8
const none: readonly PendingQuestion[] = []

/** A call that is under way, for these questions. */
class SentCall implements ReplyListener {
  declare readonly batches: Batches
  declare readonly asked: readonly PendingQuestion[]
  declare readonly call: DecideCall
  declare readonly over: Over
  declare readonly clock: ServerClock
  /** When it was sent. */
  declare readonly localUs: number

  constructor(
    batches: Batches,
    asked: readonly PendingQuestion[],
    about: Pick<SentCall, 'call' | 'over' | 'clock' | 'localUs'>,
  ) {
    this.batches = batches
    this.asked = asked
    this.call = about.call
    this.over = about.over
    this.clock = about.clock
    this.localUs = about.localUs
  }

  heard(reply: unknown): void {
    this.batches.heard(this, reply)
  }

  failed(error: unknown): void {
    this.batches.failed(this.asked, { error, call: this.call, over: this.over })
  }
}

/** Sends questions, those that come together in one call, and gives each its own answer. */
export class Batches implements Sender {
  readonly #parts: BatchesParts
  /** By slot of a cluster; -1: of one server. */
  readonly #queues = new Map<number, BatchQueue>()
  /** How long a script takes for one check. Falls at once and rises slowly, as a busy machine does not mean a slow script. */
  #checkUs = usualCheckUs

  constructor(parts: BatchesParts) {
    this.#parts = parts
  }

  /** Sends the question together with others of the same slot; left out: of the same server. */
  put(asked: PendingQuestion, slot = -1): void {
    if (this.#parts.connection.apart) this.#sendUntilOver([asked])
    else this.#queueOf(slot).add(asked)
  }

  /** The same, as a promise. Without a slot the question goes by a call of its own. */
  ask(question: Question, { askedUs, waiting }: Pending, slot: number | undefined): Promise<StoreRows> {
    const answer = new PromisedAnswer(waiting)
    const asked = new PendingQuestion(question, answer, askedUs)
    if (slot === undefined) this.#sendUntilOver([asked])
    else this.put(asked, slot)
    return answer.promise
  }

  #sendUntilOver(asked: readonly PendingQuestion[]): void {
    this.send(asked, (again) => {
      if (again.length > 0) this.#sendUntilOver(again)
    })
  }

  sendAll(): void {
    for (const queue of this.#queues.values()) queue.sendAll()
  }

  /** Sends all that waits in each queue that asks for this key. */
  sendIfAsked(check: Check): void {
    for (const queue of this.#queues.values()) queue.sendIfAsked(check)
  }

  #queueOf(slot: number): BatchQueue {
    const known = this.#queues.get(slot)
    if (known !== undefined) return known
    const queue = new BatchQueue(this)
    this.#queues.set(slot, queue)
    return queue
  }

  get mostWork(): number {
    return Math.min(mostWork, Math.max(leastWork, Math.floor(longestScriptUs / this.#checkUs)))
  }

  send(batch: readonly PendingQuestion[], over: Over): void {
    const asked = batch.every(waits) ? batch : batch.filter(isWaitedFor)
    if (asked.length === 0) {
      over(none, this.#nowUs())
      return
    }
    const { deadlines } = this.#parts
    let call: DecideCall | undefined
    try {
      call = this.#callOf(asked)
      const clock = deadlines.clockFor(call.keys[0])
      if (deadlines.deadlineUs === 0 || clock.known) this.#run(asked, { call, over, clock })
      else this.#sendFirst(asked, call, over)
    } catch (error) {
      // Nobody is answered before the call that asked has returned.
      soon(() => this.failed(asked, { error, call, over }))
    }
  }

  /** Sends questions once the server's clock is known. */
  #sendFirst(asked: readonly PendingQuestion[], call: DecideCall, over: Over): void {
    this.#parts.deadlines.askTime(call.keys[0]).then(
      () => this.send(this.#stillPending(asked), over),
      (error: unknown) => this.failed(asked, { error, call, over }),
    )
  }

  #run(
    asked: readonly PendingQuestion[],
    { call, over, clock }: Pick<SentCall, 'call' | 'over' | 'clock'>,
  ): void {
    const { connection, deadlines } = this.#parts
    // For a single question this is when it was asked: no later than the sending, and mostly microseconds before it.
    const only = asked.length === 1 ? asked[0] : undefined
    const localUs = only === undefined ? this.#nowUs() : only.askedUs
    if (deadlines.deadlineUs > 0) setDeadlines(call.args, asked, { clock, deadlineUs: deadlines.deadlineUs })
    runFor(connection, call.script, call, new SentCall(this, asked, { call, over, clock, localUs }))
  }

  /** Answers what the reply decides; the others are to be sent again. */
  heard({ asked, call, over, clock, localUs }: SentCall, reply: unknown): void {
    const nowUs = this.#nowUs()
    let again: readonly PendingQuestion[]
    try {
      const { serverUs, outcomes, checkUs = 0 } = call.read(reply)
      if (checkUs > 0) this.#measured(checkUs)
      clock.observe(serverUs, localUs, nowUs)
      again = this.#answer(asked, outcomes, { clock, serverUs, localUs })
      // The server's clock was set, or this process paused before it sent the call.
      if (again.length > 0) again = this.#stillPending(again)
    } catch (error) {
      this.failed(asked, { error, call, over })
      return
    }
    over(again, nowUs)
  }

  #nowUs(): number {
    return this.#parts.deadlines.clock.nowUs()
  }

  /** Answers the questions that have an outcome, and returns those that came too late. */
  #answer(
    batch: readonly PendingQuestion[],
    outcomes: readonly Outcome[],
    instant: { clock: ServerClock; serverUs: number; localUs: number },
  ): readonly PendingQuestion[] {
    const { refusals } = this.#parts
    let late: PendingQuestion[] | undefined
    for (let i = 0; i < batch.length; i++) {
      const asked = batch[i]
      const outcome = outcomes[i]
      if (asked === undefined || outcome === undefined) continue
      if (outcome === 'late') {
        late ??= []
        late.push(asked)
      } else if (outcome instanceof Error) {
        asked.waiting.failed(withoutKeys(outcome))
      } else {
        refusals?.heard(asked.question, outcome, instant)
        asked.waiting.answered(outcome)
      }
    }
    return late ?? none
  }

  /** After a pause of this process a caller waits beyond the deadline: its time begins anew. Questions without a waiting caller fail. */
  #stillPending(batch: readonly PendingQuestion[]): PendingQuestion[] {
    const { deadlineUs } = this.#parts.deadlines
    const nowUs = this.#nowUs()
    return batch.filter((asked) => {
      if (nowUs - asked.askedUs <= deadlineUs) return true
      if (asked.waiting.done !== false) {
        asked.waiting.failed(tooLate())
        return false
      }
      asked.askedUs = nowUs
      return true
    })
  }

  /** Where the keys no longer lie in one place, nothing was taken, and each question is asked in parts. */
  failed(
    batch: readonly PendingQuestion[],
    { error, call, over }: { error: unknown; call: DecideCall | undefined; over: Over },
  ): void {
    const inParts = (call?.keys.length ?? 0) > 1 && isTooWide(error)
    for (const asked of batch) {
      if (inParts) tellAsker(asked.waiting, this.#parts.inParts(asked.question, { error, pending: asked }))
      else asked.waiting.failed(withoutKeys(error))
    }
    over(none, this.#nowUs())
  }

  /** The call with the script that costs the server least. */
  #callOf(batch: readonly PendingQuestion[]): DecideCall {
    const { call: parts, scripts } = this.#parts
    const only = batch.length === 1 ? batch[0]?.question : undefined
    const isOne = only?.checks.length === 1 && only.upTo === undefined
    const check = isOne ? only.checks[0] : undefined
    if (only !== undefined && check !== undefined) {
      const one = { question: only, check }
      const constant = scripts.constant.callFor(one, parts)
      if (constant !== undefined) return constant
      return new OneCall(scripts.decideOne.forPolicy(check.policy), one, parts)
    }
    const constant = scripts.constant.callForMany(batch, parts)
    if (constant !== undefined) return constant
    const call = batchCall(batch, parts)
    const checks = call.forms.flatMap(({ question }) => question.checks)
    const upTo = call.forms.some(({ question }) => question.upTo !== undefined)
    const script = upTo ? scripts.decide.upTo(checks) : scripts.decide.for(checks)
    return new BatchCall(script, call, batch)
  }

  #measured(checkUs: number): void {
    this.#checkUs = checkUs < this.#checkUs ? checkUs : this.#checkUs + (checkUs - this.#checkUs) / slowness
  }
}

/** Whether its caller has had no other answer since. */
function waits({ waiting }: PendingQuestion): boolean {
  return waiting.done !== true
}

function isWaitedFor(asked: PendingQuestion): boolean {
  if (waits(asked)) return true
  asked.waiting.failed(tooLate())
  return false
}
