import type { Decision } from '@sluice/core'
import type { CallPlan, Scenario } from './plan.ts'
import type { Process, Subject } from './process.ts'
import type { Answer, CallRecord, TakeRecord } from './record.ts'
import type { OpenTakes } from './takes.ts'

/** Keys by their numbers. */
export function keyOf(nth: number): string {
  return `k${nth}`
}

/** What is asked for: a key, or one for each policy. */
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

  /** Resolves to what came of it. */
  asked(process: Process, plan: CallPlan, isEpilogue = false): Promise<CallRecord> {
    const { time } = process.machine
    const record: CallRecord = {
      plan,
      isEpilogue,
      askedUs: time.nowUs,
      answeredUs: undefined,
      answer: undefined,
      error: undefined,
      inspected: undefined,
      endedUs: undefined,
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
    const { operation, cost, ms } = plan
    const key = subjectOf(this.#scenario, plan.key)
    const listed = keyOf(plan.key)
    switch (operation) {
      case 'peek':
        return limiter.peek(key, { cost })
      case 'reserve':
      case 'cancel':
        return limiter.reserve(key, { cost, maxWait: ms })
      case 'wait':
        return limiter.wait(key, { cost, maxWait: ms })
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
        record.inspected = await limiter.inspect(key)
        return undefined
      case 'deny':
      case 'allow':
        return void (await process.enlist(operation, listed, ms))
      case 'refuse':
        return void (await process.enlist('block', listed, ms))
      case 'unlist':
        return void (await process.unlist(listed))
      case 'part':
        return limiter.check(key, { cost, take: 'up-to' })
      default:
        return limiter.check(key, { cost })
    }
  }

  #answerOf({ instance, nth }: Process, call: CallRecord, decision: Decision): Answer {
    const said = instance.code.decisions
      .verdictsBehind(decision)
      .map(({ policy, cost, allowed, reason, remaining, check, row }) => {
        const name = `sl3:{${check.key}}:${check.id}`
        const { receipt, retryAfterUs, waitUs } = row
        const isHere = receipt === '' || (typeof receipt === 'string' && receipt.startsWith('local '))
        const take = isHere
          ? undefined
          : this.#takeOf(call, { process: nth, key: name, units: cost, receipt })
        if (take !== undefined) take.call = call
        return { policy, name, cost, allowed, reason, remaining, retryAfterUs, waitUs, receipt, take }
      })
    const { allowed, reason, source, waitMs } = decision
    return { allowed, reason, source, waitMs, said }
  }

  /** The first slot of a cluster may have taken a larger part than the others, and have got back what was too much. */
  #takeOf({ plan }: CallRecord, said: Pick<TakeRecord, 'process' | 'key' | 'units' | 'receipt'>) {
    const isInParts = plan.operation === 'part' && this.#scenario.cluster?.isSpread === true
    for (let units = isInParts ? plan.cost : said.units; units >= said.units; units--) {
      const take = this.#open.match({ ...said, units })
      if (take !== undefined) return take
    }
    return undefined
  }

  /** What the caller does with its decision later. */
  #after(process: Process, record: CallRecord, decision: Decision): void {
    const { operation, ms } = record.plan
    const later = endings[operation] ?? (this.#holdsPlaces ? 'release' : undefined)
    if (later === undefined || !decision.allowed || operation === 'peek') return
    process.machine.arrives(ms * 1000, () => {
      record.endedUs = process.machine.time.nowUs
      void end(decision, later)
    })
  }

  get #holdsPlaces(): boolean {
    return this.#scenario.policies.some(({ strategy }) => strategy === 'concurrency')
  }
}

type Ending = 'release' | 'refund' | 'settle' | 'cancel'

const endings: { readonly [operation in CallPlan['operation']]?: Ending } = {
  hold: 'release',
  refund: 'refund',
  settle: 'settle',
  cancel: 'cancel',
}

function end(decision: Decision, ending: Ending): Promise<void> {
  switch (ending) {
    case 'release':
      return decision.release()
    case 'refund':
      return decision.refund()
    case 'settle':
      return decision.settle(Math.floor(decision.cost / 2))
    case 'cancel':
      return 'cancel' in decision ? (decision as { cancel(): Promise<void> }).cancel() : decision.refund() // as it is a reservation
  }
}
