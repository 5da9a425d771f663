import type { Check, Policy, StoreRow } from '@sluice/core'
import { askOne, change, checkOf, factsOf, freshKey, inspect, manage } from './asking.ts'
import { HistoryClock } from './clock-steps.ts'
import { noteOf } from './samples/sample.ts'
import { SlotsAnew } from './slots-anew.ts'
import type { Act, Trace, TraceStep } from './traces.ts'
import { baseUs, type StoreUnderTest } from './under-test.ts'

/** What a step of a trace came to. */
export interface Played {
  readonly atUs: number
  readonly did: string
  /** What was seen, without receipts. */
  readonly saw: unknown
  readonly asked?: { readonly check: Check; readonly row: StoreRow; readonly maxWaitUs: number }
  /** A settle: the step whose charge it was, and its units from now on. */
  readonly settled?: { readonly of: number; readonly cost: number }
}

interface Charge {
  readonly atUs: number
  readonly check: Check
  readonly receipt: string | number
  readonly nth: number
}

/** Plays a trace on a store, on keys of its own. */
export class TraceRun {
  readonly clock: HistoryClock
  readonly #subject: StoreUnderTest
  readonly #trace: Trace
  readonly #keys = [freshKey(), freshKey()] as const
  readonly #open: Charge[] = []
  #nth = -1
  /** Calls with other numbers. */
  #others = 0
  /** When each key was last counted anew, and in which step. */
  readonly #anew = new Map<string, { readonly us: number; readonly nth: number }>()
  readonly #slotsAnew = new SlotsAnew()

  constructor(subject: StoreUnderTest, trace: Trace) {
    this.#subject = subject
    this.#trace = trace
    this.clock = new HistoryClock(baseUs + trace.startUs, trace.sample.spanUs)
  }

  /** A check for each of the two keys. */
  get checks(): readonly Check[] {
    return this.#keys.map((key) => checkOf(this.#trace.sample.policy, key))
  }

  async step({ clock, second, note, act }: TraceStep): Promise<Played> {
    this.#nth++
    const atUs = this.clock.step(clock)
    await this.#subject.setClock(atUs)
    const key = this.#keys[second ? 1 : 0]
    return {
      atUs,
      did: `${act.act} ${JSON.stringify(act)} on ${second ? 'b' : 'a'}`,
      ...(await this.#act(act, key, noteOf(this.#trace.sample, note))),
    }
  }

  /** Other numbers, and every second time still others. */
  #another(): Policy {
    const { other, third = other } = this.#trace.sample
    return this.#others++ % 2 === 0 ? other : third
  }

  async #act(act: Act, key: string, note: string | undefined): Promise<Omit<Played, 'atUs' | 'did'>> {
    const { store } = this.#subject
    const { sample } = this.#trace
    const check = checkOf('other' in act && act.other ? this.#another() : sample.policy, key, { note })
    this.#slotsAnew.note(check)
    switch (act.act) {
      case 'check':
      case 'peek':
        return this.#ask(
          { ...check, cost: this.#cost(act.share) },
          { take: act.act === 'check', maxWaitUs: 0 },
        )
      case 'part':
        return this.#askForPart({ ...check, cost: this.#cost(act.share) })
      case 'reserve': {
        const maxWaitUs = Math.floor(act.patience * (sample.debtUs ?? 0))
        return this.#ask({ ...check, cost: this.#cost(act.share) }, { take: true, maxWaitUs })
      }
      case 'settle':
        return this.#settle(act)
      case 'renew':
        return this.#renew(act)
      case 'penalize':
        if (sample.inFlight !== true) await change(store, [{ check, receipt: null, byUnits: act.units }])
        return { saw: null }
      case 'reward':
        if (sample.inFlight !== true)
          await change(store, [{ check, receipt: null, byUnits: -act.units, reward: true }])
        return { saw: null }
      case 'set':
        if (sample.inFlight !== true) {
          this.#anew.set(key, { us: this.clock.nowUs, nth: this.#nth })
          await manage(store, 'set', check, { units: this.#cost(act.share) })
        }
        return { saw: null }
      case 'raise':
        if (sample.raisableUs !== undefined) {
          const atLeastUs = Math.max(1, Math.floor(act.share * sample.raisableUs))
          await change(store, [{ check, receipt: null, byUnits: 0, atLeastUs }])
        }
        return { saw: null }
      case 'block': {
        const us = Math.max(1, Math.floor(act.share * sample.spanUs))
        await manage(store, 'block', check, { us, later: act.later })
        return { saw: null }
      }
      case 'unblock':
      case 'reset':
        if (act.act === 'reset') this.#anew.set(key, { us: this.clock.nowUs, nth: this.#nth })
        await manage(store, act.act, check)
        return { saw: null }
      case 'inspect': {
        const { row, ...sight } = await inspect(store, check)
        const peeked = await askOne(store, { ...check, cost: 1 }, { take: false })
        if (row.reason !== peeked.reason || row.retryAfterUs !== peeked.retryAfterUs)
          throw new Error(`inspect says ${wordsOf(row)}, a peek for one unit ${wordsOf(peeked)}`)
        return { saw: { ...sight, row: factsOf(row) } }
      }
    }
  }

  #cost(share: number): number {
    const { capacity, countsRequests } = this.#trace.sample
    return Math.ceil(share * (countsRequests === true ? 3 : capacity))
  }

  async #ask(
    check: Check,
    about: { take: boolean; maxWaitUs: number },
  ): Promise<Omit<Played, 'atUs' | 'did'>> {
    const row = await askOne(this.#subject.store, check, about)
    return this.#seen(check, row, about.maxWaitUs)
  }

  #seen(check: Check, row: StoreRow, maxWaitUs: number): Omit<Played, 'atUs' | 'did'> {
    this.clock.stated(row.retryAfterUs)
    this.#slotsAnew.note(check, row.receipt)
    if (row.receipt !== '')
      this.#open.push({ atUs: this.clock.nowUs, check, receipt: row.receipt, nth: this.#nth })
    return { saw: factsOf(row), asked: { check, row, maxWaitUs } }
  }

  /** What is seen is about what was taken, or about one unit. */
  async #askForPart(check: Check): Promise<Omit<Played, 'atUs' | 'did'>> {
    const { countsRequests, inFlight } = this.#trace.sample
    const whole = countsRequests === true || inFlight === true || check.cost === 0
    const { store } = this.#subject
    if (whole || store.can?.includes('upTo') !== true) return this.#ask(check, { take: true, maxWaitUs: 0 })
    const row = await askOne(store, check, { upTo: check.cost })
    return this.#seen({ ...check, cost: row.taken ?? 1 }, row, 0)
  }

  async #renew({ of }: { of: number }): Promise<Omit<Played, 'atUs' | 'did'>> {
    const charge = this.#open[of % Math.max(1, this.#open.length)]
    if (charge === undefined || this.#trace.sample.inFlight !== true) return { saw: 'nothing to renew' }
    return { saw: await this.#subject.store.renew?.([charge]) }
  }

  async #settle({ of, share }: { of: number; share: number }): Promise<Omit<Played, 'atUs' | 'did'>> {
    const [charge] = this.#open.splice(of < 0 ? -1 : of % Math.max(1, this.#open.length), 1)
    if (charge === undefined) return { saw: 'nothing to settle' }
    const { atUs, check, receipt, nth } = charge
    // Where the clock stands still, or has stepped back, a server cannot tell whether the key was charged before or after.
    const anew = this.#anew.get(check.key)
    if (anew !== undefined && nth < anew.nth !== atUs <= anew.us) return { saw: 'counted anew' }
    if (this.#slotsAnew.has({ check, receipt })) return { saw: 'a slot anew' }
    const { countsRequests, inFlight } = this.#trace.sample
    const cost = inFlight === true ? 0 : Math.ceil(share * check.cost)
    const byUnits = cost - check.cost
    // As a decision does: where requests are counted a higher cost is no further charge.
    if (byUnits === 0 || (byUnits > 0 && countsRequests === true)) return { saw: 'no change' }
    await change(this.#subject.store, [{ check, receipt, byUnits }])
    return { saw: byUnits, settled: { of: nth, cost } }
  }
}

export async function playTrace(subject: StoreUnderTest, trace: Trace): Promise<Played[]> {
  const run = new TraceRun(subject, trace)
  const played: Played[] = []
  for (const step of trace.steps) played.push(await run.step(step))
  return played
}

function wordsOf({ reason, retryAfterUs }: StoreRow): string {
  return `${reason ?? 'allowed'}, retry after ${retryAfterUs} µs`
}
