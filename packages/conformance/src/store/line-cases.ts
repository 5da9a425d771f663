import { type Check, concurrency, type InLine } from '@sluice/core'
import fc from 'fast-check'
import { expect } from '../runner.ts'
import { askOne, change, checkOf, freshKey, manage } from './asking.ts'
import type { StoreCase } from './case.ts'
import { runs } from './runs.ts'
import { baseUs, type StoreUnderTest } from './under-test.ts'

/** Callers are numbers: each has a cost and a priority of its own, and comes again under the same name. */
type LineStep = { readonly afterUs: number } & (
  | {
      readonly act: 'stand' | 'leave'
      readonly callers: readonly number[]
      readonly waitedUs: number
      /** From this one on they only keep their turns. */
      readonly asking: number
    }
  | { readonly act: 'check'; readonly cost: number }
  | { readonly act: 'release' | 'renew'; readonly of: number }
  | { readonly act: 'block'; readonly us: number }
  | { readonly act: 'unblock' | 'reset' }
)

/** What happens to the places of one key. */
export interface LineHistory {
  readonly limit: number
  readonly leaseUs: number
  readonly callers: readonly { readonly cost: number; readonly priority: number }[]
  readonly steps: readonly LineStep[]
}

const most = 8
const callers = fc.uniqueArray(fc.nat(most - 1), { minLength: 1, maxLength: 4 })

const onwards = [0, 0, 0, 1, 127, 128, 60_000, 99_999, 100_000, 900_000, 1e6, 2_999_999, 3e6, 3e7]
const backwards = [-1, -14, -1000, -1001, -5e5, -2e6, -1e8]

function act(
  pauses: readonly number[],
  ...weighted: readonly fc.WeightedArbitrary<object>[]
): fc.Arbitrary<LineStep> {
  return fc
    .tuple(fc.constantFrom(...pauses), fc.oneof(...weighted))
    .map(([afterUs, step]) => ({ afterUs, ...step }) as LineStep) // of the parts below
}

/** Random lines; with `all` keys are blocked and forgotten meanwhile, with `back` the clock steps back, and with both leases are renewed. */
export function lineHistories({
  all = false,
  back = false,
}: {
  readonly all?: boolean
  readonly back?: boolean
} = {}): fc.Arbitrary<LineHistory> {
  const waitedUs = fc.constantFrom(0, 127, 128, 5_000_000)
  const asking = fc.constantFrom(0, 1, 2, most, most, most)
  const hands = [
    { arbitrary: fc.record({ act: fc.constant('block'), us: fc.nat(2_000_000) }), weight: 1 },
    { arbitrary: fc.record({ act: fc.constantFrom('unblock', 'reset') }), weight: 1 },
  ]
  const renewals = [{ arbitrary: fc.record({ act: fc.constant('renew'), of: fc.nat(5) }), weight: 2 }]
  return fc.record({
    limit: fc.integer({ min: 1, max: 4 }),
    leaseUs: fc.constantFrom(100_000, 1_000_000, 30_000_000),
    callers: fc.array(
      fc.record({
        cost: fc.constantFrom(1, 1, 1, 2, 3),
        priority: fc.constantFrom(0, 0, 0, 1, -100, 100),
      }),
      { minLength: most, maxLength: most },
    ),
    steps: fc.array(
      act(
        back ? [...onwards, ...backwards] : onwards,
        { arbitrary: fc.record({ act: fc.constant('stand'), callers, waitedUs, asking }), weight: 10 },
        { arbitrary: fc.record({ act: fc.constant('leave'), callers, waitedUs, asking }), weight: 2 },
        {
          arbitrary: fc.record({ act: fc.constant('check'), cost: fc.integer({ min: 1, max: 3 }) }),
          weight: 4,
        },
        { arbitrary: fc.record({ act: fc.constant('release'), of: fc.nat(5) }), weight: 6 },
        ...(all ? hands : []),
        ...(all || back ? renewals : []),
      ),
      { minLength: 5, maxLength: 40 },
    ),
  })
}

interface Held {
  readonly id: string
  readonly units: number
  endUs: number
}

interface Waiting extends Held {
  readonly priority: number
  sinceUs: number
}

/** Who holds a place and who waits, counted by hand. */
class LineOracle {
  readonly #limit: number
  readonly #leaseUs: number
  #held: Held[] = []
  #waiting: Waiting[] = []

  constructor({ limit, leaseUs }: LineHistory) {
    this.#limit = limit
    this.#leaseUs = leaseUs
  }

  pass(nowUs: number): void {
    this.#held = this.#held.filter(({ endUs }) => endUs > nowUs)
    this.#waiting = this.#waiting.filter(({ endUs }) => endUs > nowUs)
  }

  get inFlight(): number {
    return this.#held.reduce((units, each) => units + each.units, 0)
  }

  get #wanted(): number {
    return this.#waiting.reduce((units, each) => units + each.units, this.inFlight)
  }

  /** Who does not wait leaves room for all who do. */
  check(nowUs: number, id: string, units: number): boolean {
    if (this.#wanted + units > this.#limit) return false
    this.#held.push({ id, units, endUs: nowUs + this.#leaseUs })
    return true
  }

  release(id: string): void {
    this.#held = this.#held.filter((each) => each.id !== id)
  }

  leave(id: string): 'out' {
    this.release(id)
    this.#waiting = this.#waiting.filter((each) => each.id !== id)
    return 'out'
  }

  stand(nowUs: number, asking: readonly InLine[]): readonly ('holds' | 'waits')[] {
    const endUs = nowUs + Math.min(this.#leaseUs, 3_000_000)
    for (const { id, check, priority, waitedUs } of asking) {
      if (this.#held.some((each) => each.id === id)) continue
      const known = this.#waiting.find((each) => each.id === id)
      const sinceUs = nowUs - waitedUs
      if (known === undefined) this.#waiting.push({ id, units: check.cost, priority, sinceUs, endUs })
      else Object.assign(known, { endUs, sinceUs: Math.min(known.sinceUs, sinceUs) })
    }
    this.#keepOrder(asking)
    return this.#serve(nowUs, asking)
  }

  /** Of one call nobody comes before those who stand before it. */
  #keepOrder(asking: readonly InLine[]): void {
    for (const [nth, { id, priority }] of asking.entries()) {
      const behind = asking.slice(nth).filter((each) => each.priority === priority)
      const known = this.#waiting.filter((each) => behind.some((one) => one.id === each.id))
      const own = this.#waiting.find((each) => each.id === id)
      if (own !== undefined) own.sinceUs = Math.min(...known.map(({ sinceUs }) => sinceUs))
    }
  }

  #serve(nowUs: number, asking: readonly InLine[]): readonly ('holds' | 'waits')[] {
    // Arrivals are distinguished by steps of 128 µs, and then by name.
    const step = ({ sinceUs }: Waiting) => Math.floor(sinceUs / 128)
    const inOrder = [...this.#waiting].sort(
      (a, b) => b.priority - a.priority || step(a) - step(b) || (a.id < b.id ? -1 : 1),
    )
    let before = 0
    const free = this.#limit - this.inFlight
    for (const each of inOrder) {
      before += each.units
      if (before > free || !asking.some(({ id, stands }) => id === each.id && stands !== true)) continue
      this.#waiting = this.#waiting.filter(({ id }) => id !== each.id)
      this.#held.push({ id: each.id, units: each.units, endUs: nowUs + this.#leaseUs })
    }
    return asking.map(({ id }) => (this.#held.some((each) => each.id === id) ? 'holds' : 'waits'))
  }
}

/** What a store answers, step by step. */
class LineRun {
  readonly check: Check
  readonly #subject: StoreUnderTest
  readonly #history: LineHistory
  /** How often each caller has come: a caller that was served, or has left, comes under another name. */
  readonly #comings: number[] = new Array(most).fill(0)
  /** Receipts that may still hold a place. */
  readonly #taken: { receipt: string | number; check: Check }[] = []

  constructor(subject: StoreUnderTest, history: LineHistory) {
    this.#subject = subject
    this.#history = history
    const { limit, leaseUs } = history
    this.check = checkOf(concurrency({ limit, lease: leaseUs / 1000 }), freshKey())
  }

  callersOf(step: LineStep): readonly InLine[] {
    if (step.act !== 'stand' && step.act !== 'leave') return []
    return step.callers.map((nth, at) => {
      const { cost, priority } = this.#history.callers[nth] ?? { cost: 1, priority: 0 }
      const check = { ...this.check, cost }
      return {
        check,
        id: `caller${nth}.${100 + (this.#comings[nth] ?? 0)}`,
        priority,
        waitedUs: step.waitedUs,
        leaves: step.act === 'leave',
        stands: at >= step.asking,
      }
    })
  }

  get newestReceipt(): string {
    return String(this.#taken.at(-1)?.receipt)
  }

  /** What a release or a renewal is about. */
  takenAt(nth: number): { readonly receipt: string | number; readonly check: Check } | undefined {
    return this.#taken[nth % Math.max(1, this.#taken.length)]
  }

  async step(atUs: number, step: LineStep): Promise<readonly unknown[]> {
    const { store, setClock } = this.#subject
    await setClock(atUs)
    const taken = 'of' in step ? this.takenAt(step.of) : undefined
    switch (step.act) {
      case 'stand':
      case 'leave': {
        const asking = this.callersOf(step)
        const places = (await store.line?.(asking)) ?? []
        for (const [i, nth] of step.callers.entries()) {
          const caller = asking[i]
          if (caller === undefined || places[i]?.waits === true) continue
          this.#comings[nth] = (this.#comings[nth] ?? 0) + 1
          if (places[i]?.row.allowed === true) this.#taken.push({ check: caller.check, receipt: caller.id })
        }
        return places.map(({ row: { receipt, ...row }, waits }) => ({ ...row, receipt, waits }))
      }
      case 'check': {
        const check = { ...this.check, cost: step.cost }
        const row = await askOne(store, check)
        if (row.receipt !== '') this.#taken.push({ check, receipt: row.receipt })
        const { receipt, ...facts } = row
        return [{ ...facts, taken: receipt !== '' }]
      }
      case 'release':
        if (taken !== undefined) await change(store, [{ ...taken, byUnits: -taken.check.cost }])
        return []
      case 'renew':
        return taken === undefined ? [] : ((await store.renew?.([taken])) ?? [])
      default:
        await manage(store, step.act, this.check, step.act === 'block' ? { us: step.us } : {})
        return []
    }
  }
}

/** Everything that a store says in the course of a history. */
export async function playLine(subject: StoreUnderTest, history: LineHistory): Promise<readonly unknown[]> {
  const run = new LineRun(subject, history)
  const said: unknown[] = []
  let atUs = baseUs
  for (const step of history.steps) {
    atUs += step.afterUs
    said.push({ atUs, act: step.act, said: await run.step(atUs, step) })
  }
  return said
}

interface Said {
  readonly allowed: boolean
  readonly waits: boolean
}

/** Places go to who comes first among the highest priority, and never more than there are. */
async function servesInOrder(subject: StoreUnderTest, history: LineHistory): Promise<void> {
  const run = new LineRun(subject, history)
  const oracle = new LineOracle(history)
  let atUs = baseUs
  for (const [nth, step] of history.steps.entries()) {
    atUs += step.afterUs
    oracle.pass(atUs)
    const taken = 'of' in step ? run.takenAt(step.of) : undefined
    const asking = run.callersOf(step)
    const said = (await run.step(atUs, step)) as readonly Said[] // of the acts that are looked at
    const outcomes = said.map(({ allowed, waits }) => (allowed ? 'holds' : waits ? 'waits' : 'out'))
    const about = { nth, act: step.act }
    if (step.act === 'stand') {
      expect({ ...about, outcomes }).toEqual({ ...about, outcomes: oracle.stand(atUs, asking) })
    } else if (step.act === 'leave') {
      expect({ ...about, outcomes }).toEqual({ ...about, outcomes: asking.map(({ id }) => oracle.leave(id)) })
    } else if (step.act === 'check') {
      const allowed = oracle.check(atUs, run.newestReceipt, step.cost)
      expect({ ...about, allowed: said[0]?.allowed }).toEqual({ ...about, allowed })
    } else if (taken !== undefined && step.act === 'release') oracle.release(String(taken.receipt))
    expect(oracle.inFlight).toBeLessThanOrEqual(history.limit)
  }
}

/** A caller who asks again, as an answer was lost, holds what it held, and no more. */
async function asksTwice({ store, setClock }: StoreUnderTest): Promise<void> {
  await setClock(baseUs)
  const check = checkOf(concurrency({ limit: 1 }), freshKey())
  const caller: InLine = { check, id: 'twice', priority: 0, waitedUs: 0, leaves: false }
  for (let i = 0; i < 3; i++)
    expect(await store.line?.([caller])).toMatchObject([{ row: { allowed: true, receipt: 'twice' } }])
  await store.line?.([{ ...caller, leaves: true }])
  expect(await askOne(store, { ...check, cost: 0 })).toMatchObject({ remaining: 1 })
}

/** A line has an end. */
async function lineIsBounded({ store, setClock }: StoreUnderTest): Promise<void> {
  await setClock(baseUs)
  const check = checkOf(concurrency({ limit: 100_000 }), freshKey())
  await askOne(store, { ...check, cost: 100_000 })
  const callers = [5000, 5000, 1].map((cost, nth): InLine => {
    return { check: { ...check, cost }, id: `many${nth}`, priority: 0, waitedUs: 0, leaves: false }
  })
  const waits = async (asking: readonly InLine[]) => (await store.line?.(asking))?.map((place) => place.waits)
  expect(await waits(callers)).toEqual([true, true, false])
  const [first, ...others] = callers.map((caller) => ({ ...caller, leaves: caller.id === 'many0' }))
  expect(await waits(first === undefined ? [] : [first, ...others])).toEqual([false, true, true])
}

const about = 'concurrency'

export const lineCases: readonly StoreCase[] = [
  {
    about,
    title: 'places go to who has waited longest among the highest priority',
    run: (subject) =>
      fc.assert(
        fc.asyncProperty(lineHistories(), (history) => servesInOrder(subject, history)),
        runs(400, subject),
      ),
  },
  { about, title: 'a caller in line that asks again holds what it held', run: asksTwice },
  { about, title: 'ten thousand units of a key may wait', run: lineIsBounded },
]
