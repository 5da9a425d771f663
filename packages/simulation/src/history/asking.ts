import type { Decision, Inspection, Policy } from '@sluice/core'
import type { CallPlan, Scenario } from './plan.ts'
import { policyOf } from './policies.ts'
import type { Process, Subject } from './process.ts'
import type { Answer, CallRecord, TakeRecord } from './record.ts'
import type { OpenTakes } from './takes.ts'

/** Keys by their numbers. */
export function keyOf(nth: number): string {
  return `k${nth}`
}

/** The reason with which a wait ends when its caller has hung up. */
export const hungUp: unique symbol = Symbol('hung up')

/** After how long a caller gives back once more. */
const againUs = 2_000

/** This long after its deadline a call is no longer looked at. */
const lookedAtUs = 45_000

/** What a call says of its caller. */
function aboutCaller({ client, since }: CallPlan): { note?: string; since?: string } {
  return { ...(client !== undefined && { note: noteOf(client) }), ...(since !== undefined && { since }) }
}

/** Clients by their numbers. */
export function noteOf(client: number): string {
  return `c${client}`
}

/** The subject of a key: itself, or one for each policy. */
function subjectOf({ policies, cluster }: Scenario, nth: number): Subject {
  const key = keyOf(nth)
  if (cluster?.isSpread !== true) return key
  return Object.fromEntries(policies.map(({ name }, i) => [name, i === 0 ? key : `${key}/${i}`]))
}

/** Makes the calls of a plan, and notes what comes of them. */
export class Asking {
  readonly #open: OpenTakes
  readonly #scenario: Scenario

  constructor(scenario: Scenario, open: OpenTakes) {
    this.#scenario = scenario
    this.#open = open
  }

  ask(process: Process, plan: CallPlan, isEpilogue = false): void {
    void this.asked(process, plan, isEpilogue)
  }

  /** Makes a call; resolves to the record of it. */
  asked(process: Process, plan: CallPlan, isEpilogue = false): Promise<CallRecord> {
    const { time } = process.machine
    const record: CallRecord = {
      plan,
      isEpilogue,
      hasOthers: plan.chooses === true || process.isChanged,
      askedUs: time.nowUs,
      answeredUs: undefined,
      answer: undefined,
      error: undefined,
      inspected: undefined,
      endedUs: undefined,
      hungUpUs: undefined,
    }
    process.record.calls.push(record)
    return this.#do(process, record).then(
      (decision) => {
        record.answeredUs = time.nowUs
        if (decision !== undefined) record.answer = this.#answerOf(process, record, decision)
        if (decision !== undefined) this.#after(process, record, decision)
        return record
      },
      (error: unknown) => {
        record.answeredUs = time.nowUs
        record.error = error
        return record
      },
    )
  }

  async #do(process: Process, record: CallRecord): Promise<Decision | undefined> {
    const { plan } = record
    const { limiter } = process
    const { operation, ms } = plan
    const cost = this.#amountOf(plan.cost)
    const about = { cost: this.#costOf(plan), ...aboutCaller(plan), ...this.#chosenBy(process, plan) }
    const key = this.#subjectOf(process, plan)
    const listed = keyOf(plan.key)
    switch (operation) {
      case 'peek':
        return limiter.peek(key, about)
      case 'reserve':
      case 'cancel':
        return limiter.reserve(key, { ...about, maxWait: ms })
      case 'wait':
        return this.#wait(process, record, { ...about, maxWait: ms })
      case 'penalize':
        return void (await limiter.penalize(key, cost))
      case 'reward':
        return void (await limiter.reward(key, cost))
      case 'set':
        return void (await limiter.set(key, cost))
      case 'block':
        return void (await limiter.block(key, ms))
      case 'unblock':
        return void (await limiter.unblock(key))
      case 'reset':
        return void (await limiter.reset(key))
      case 'inspect':
        record.inspected = this.#inUnits(await limiter.inspect(key))
        return undefined
      case 'deny':
      case 'allow':
        return void (await process.enlist(operation, listed, ms))
      case 'refuse':
        return void (await process.enlist('block', listed, ms))
      case 'unlist':
        return void (await process.unlist(listed))
      case 'change':
        return void (await process.change(ms))
      case 'restore':
        return void (await process.restore())
      case 'part':
        return limiter.check(key, { ...about, take: 'up-to' })
      default:
        return limiter.check(key, about)
    }
  }

  #costOf({ cost, costs }: CallPlan): number | { readonly [policy: string]: number } {
    if (costs === undefined) return this.#amountOf(cost)
    const byName = this.#scenario.policies.map(({ name }, i) => [name, this.#amountOf(costs[i] ?? cost)])
    return Object.fromEntries(byName)
  }

  /** A key for each policy that applies to the call. */
  #subjectOf({ instance }: Process, { key, skips }: CallPlan): Subject {
    const subject = subjectOf(this.#scenario, key)
    if (skips === undefined) return subject
    const { notApplicable } = instance.code
    const byName = this.#scenario.policies.map(({ name }, i) => {
      const own = typeof subject === 'string' ? subject : subject[name]
      return [name, i === skips ? notApplicable : own]
    })
    return Object.fromEntries(byName)
  }

  #chosenBy({ instance }: Process, { chooses }: CallPlan): { policies?: { [name: string]: Policy } } {
    const { chosen = [], scale } = this.#scenario
    if (chooses !== true) return {}
    const byName = chosen.map((policy) => [policy.name, policyOf(instance.code, policy, scale)])
    return { policies: Object.fromEntries(byName) }
  }

  #unitsOf(amount: number): number {
    return Math.round(amount * (this.#scenario.scale ?? 1))
  }

  #amountOf(units: number): number {
    return units / (this.#scenario.scale ?? 1)
  }

  #noteWaiting({ nth, machine, limiter, record }: Process): void {
    const { sleepers } = limiter.health()
    const open = record.calls.filter(
      ({ plan, answeredUs }) => plan.process === nth && plan.operation === 'wait' && answeredUs === undefined,
    )
    record.waiting.push({ process: nth, atUs: machine.time.nowUs, sleepers, open: open.length })
  }

  /** After so long, whatever was under way is over. */
  get #idleUs(): number {
    return this.#scenario.deadlineMs * 1000 + lookedAtUs
  }

  #noteIdle({ nth, machine, record }: Process): void {
    const { nowUs } = machine.time
    const isBusy = record.calls.some(
      ({ plan, answeredUs = nowUs, endedUs = 0 }) =>
        plan.process === nth && Math.max(answeredUs, endedUs) > nowUs - this.#idleUs,
    )
    if (!isBusy) record.idle.push({ process: nth, atUs: nowUs, timers: machine.timers.active.size })
  }

  #inUnits(inspected: NonNullable<CallRecord['inspected']>): NonNullable<CallRecord['inspected']> {
    const { scale = 1 } = this.#scenario
    if (scale === 1) return inspected
    const inUnits = ([name, seen]: [string, Inspection]) => [
      name,
      { ...seen, remaining: Math.round(seen.remaining * scale) },
    ]
    return Object.fromEntries(Object.entries(inspected).map(inUnits))
  }

  /** Resolves when it is the caller's turn; it may hang up before. */
  #wait(process: Process, record: CallRecord, options: object): Promise<Decision> {
    const { machine, limiter } = process
    const { hangsUpMs, runs } = record.plan
    const key = this.#subjectOf(process, record.plan)
    const about = hangsUpMs === undefined ? options : { ...options, signal: this.#signal(process, record) }
    if (runs !== true) return limiter.wait(key, about)
    return new Promise((resolve, reject) => {
      const work = (decision: Decision) => {
        resolve(decision)
        return new Promise<void>((done) => {
          machine.arrives(record.plan.ms * 1000, () => {
            if (this.#holdsPlaces) record.endedUs = machine.time.nowUs
            done()
          })
        })
      }
      limiter.run(key, work, about).catch((error: unknown) => {
        if (process.instance.code.isRefusedError(error)) resolve(error.decision)
        else reject(error)
      })
    })
  }

  /** The signal by which a caller hangs up, unless its call has been answered before. */
  #signal(process: Process, record: CallRecord): AbortSignal {
    const { machine } = process
    const { hangsUpMs = 0 } = record.plan
    const hanging = new AbortController()
    machine.arrives(hangsUpMs * 1000, () => {
      if (record.answeredUs !== undefined) return
      record.hungUpUs = machine.time.nowUs
      hanging.abort(hungUp)
      machine.arrives(1, () => this.#noteWaiting(process))
      machine.arrives(this.#idleUs, () => this.#noteIdle(process))
    })
    return hanging.signal
  }

  #answerOf({ instance, nth }: Process, call: CallRecord, decision: Decision): Answer {
    const said = instance.code.decisions
      .verdictsBehind(decision)
      .map(({ policy, allowed, reason, check, row }) => {
        const { cost } = check
        const { limit, remaining } = row
        const name = `sl3:{${check.key}}:${check.id}`
        const { receipt, retryAfterUs, waitUs } = row
        const isHere = receipt === '' || (typeof receipt === 'string' && receipt.startsWith('local '))
        const take = isHere
          ? undefined
          : this.#takeOf(call, { process: nth, key: name, units: cost, receipt })
        if (take !== undefined) take.call = call
        return { policy, name, cost, allowed, reason, limit, remaining, retryAfterUs, waitUs, receipt, take }
      })
    const { allowed, reason, source, waitMs } = decision
    return { allowed, reason, source, waitMs, said, cost: this.#unitsOf(decision.cost) }
  }

  /** Finds the take of an answer. The first slot of a cluster may have taken more than the others, and have got back the rest. */
  #takeOf({ plan, askedUs }: CallRecord, said: Pick<TakeRecord, 'process' | 'key' | 'units' | 'receipt'>) {
    const isPart = plan.operation === 'part'
    // A client that does not know the cluster may send each policy in a call of its own.
    const isInParts = isPart && this.#scenario.cluster !== undefined
    // Units are taken ahead before a caller asks for them. What a caller gave back by hanging up may be taken again under the same receipt.
    const sinceUs = this.#scenario.aheadMs > 0 ? 0 : askedUs
    for (let units = isInParts ? plan.cost : said.units; units >= said.units; units--) {
      const take = this.#open.match({ ...said, units, isPart }, sinceUs)
      if (take !== undefined) return take
    }
    return undefined
  }

  /** What the caller does with its decision later. */
  #after(process: Process, record: CallRecord, decision: Decision): void {
    const { operation, ms } = record.plan
    if (record.plan.runs === true) return
    const later = endingOf(record.plan) ?? (this.#holdsPlaces ? 'release' : undefined)
    if (later === undefined || !decision.allowed || operation === 'peek') return
    const { machine } = process
    machine.arrives(ms * 1000, () => {
      record.endedUs = machine.time.nowUs
      void this.#end(record, decision, later)
      if (record.plan.endsAgain === true) machine.arrives(againUs, () => void decision.refund())
    })
  }

  #end({ plan }: CallRecord, decision: Decision, ending: Ending): Promise<void> {
    switch (ending) {
      case 'release':
        return decision.release()
      case 'refund':
        return decision.refund()
      case 'settle':
        return decision.settle(this.#amountOf(settledTo(plan, this.#unitsOf(decision.cost))))
      case 'cancel':
        return 'cancel' in decision ? (decision as { cancel(): Promise<void> }).cancel() : decision.refund() // as it is a reservation
    }
  }

  get #holdsPlaces(): boolean {
    return this.#scenario.policies.some(({ strategy }) => strategy === 'concurrency')
  }
}

/** What a call turns out to cost that was charged so many units. */
export function settledTo({ settlesTo }: CallPlan, units: number): number {
  return settlesTo ?? Math.floor(units / 2)
}

type Ending = 'release' | 'refund' | 'settle' | 'cancel'

/** How the caller of a call ends it, where it does not hold places. */
export function endingOf({ operation, ends }: CallPlan): Ending | undefined {
  return ends ?? endings[operation]
}

const endings: { readonly [operation in CallPlan['operation']]?: Ending } = {
  hold: 'release',
  refund: 'refund',
  settle: 'settle',
  cancel: 'cancel',
}
