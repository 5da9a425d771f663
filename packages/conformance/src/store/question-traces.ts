import type { Check, Question, StoreRow } from '@sluice/core'
import { partsOf } from '@sluice/core/internal'
import fc from 'fast-check'
import { ask, change, checkOf, factsOf, freshKey, manage } from './asking.ts'
import { type ClockStep, HistoryClock, stepsOn } from './clock-steps.ts'
import { noteOf, type Sample } from './samples/sample.ts'
import { SlotsAnew } from './slots-anew.ts'
import { baseUs, type StoreUnderTest } from './under-test.ts'

/** What a question asks of each of its policies; a share of 0 costs nothing, a policy that does not apply is left out. */
export interface Part {
  readonly applies: boolean
  readonly share: number
  readonly shadow: boolean
  /** With other numbers, on the same key. */
  readonly other: boolean
  /** Which of the policy's notes it has. */
  readonly note: number
}

export interface AskAct {
  readonly act: 'ask'
  readonly take: boolean
  readonly charge: Question['charge']
  /** As many units as fit, of the first policy's cost, of all. */
  readonly part: boolean
  /** As a share of the longest wait that any of them may reserve. */
  readonly patience: number
  readonly parts: readonly Part[]
}

type QuestionAct =
  | AskAct
  | { readonly act: 'refund'; readonly of: number }
  | { readonly act: 'block'; readonly nth: number; readonly share: number }

export interface QuestionTrace {
  readonly samples: readonly Sample[]
  readonly steps: readonly { readonly clock: ClockStep; readonly act: QuestionAct }[]
}

export interface QuestionOptions {
  /** @default true */
  readonly refunds?: boolean
  /** Questions that would wait, which are reservations. @default false */
  readonly patience?: boolean
  /** Other numbers now and then. @default false */
  readonly others?: boolean
}

export function asking({ patience = false, others = false }: QuestionOptions): fc.Arbitrary<AskAct> {
  const part = fc.record({
    applies: fc.nat(4).map((n) => n > 0),
    share: fc.constantFrom(0, 0.01, 0.01, 0.01, 0.5, 1, 1.3),
    shadow: fc.nat(3).map((n) => n === 0),
    other: others ? fc.nat(3).map((n) => n === 0) : fc.constant(false),
    note: fc.nat(5),
  })
  const asked = fc.record({
    act: fc.constant('ask' as const),
    take: fc.nat(4).map((n) => n > 0),
    charge: fc.constantFrom('all-or-nothing' as const, 'every-level' as const),
    part: fc.nat(3).map((n) => n === 0),
    patience: patience ? fc.constantFrom(0, 0.01, 0.3, 1) : fc.constant(0),
    parts: fc.array(part, { minLength: 4, maxLength: 4 }),
  })
  // As a limiter asks: a question that would wait, or take a part, is all or nothing.
  return asked.map((act) => {
    if (act.patience > 0) return { ...act, part: false, take: true, charge: 'all-or-nothing' }
    return act.part ? { ...act, take: true, charge: 'all-or-nothing' } : act
  })
}
const refunding: fc.Arbitrary<QuestionAct> = fc.record({ act: fc.constant('refund' as const), of: fc.nat(5) })
const blocking: fc.Arbitrary<QuestionAct> = fc.record({
  act: fc.constant('block' as const),
  nth: fc.nat(3),
  share: fc.constantFrom(0.2, 1.5),
})

function acts(options: QuestionOptions): fc.Arbitrary<QuestionAct> {
  return fc.oneof(
    { weight: 8, arbitrary: asking(options) },
    { weight: options.refunds === false ? 0 : 2, arbitrary: refunding },
    { weight: options.others === true ? 3 : 1, arbitrary: blocking },
  )
}

/** Histories of questions to two to four policies of any strategies at once. */
export function questionTraces(
  samples: fc.Arbitrary<Sample>,
  options: QuestionOptions = {},
): fc.Arbitrary<QuestionTrace> {
  const step = fc.record({ clock: stepsOn, act: acts(options) })
  return fc
    .record({
      samples: fc.array(samples, { minLength: 2, maxLength: 4 }),
      steps: fc.array(step, { minLength: 1, maxLength: 20 }),
    })
    .map((trace) => ({ ...trace, [fc.toStringMethod]: () => readable(trace) }))
}

function readable({ samples, steps }: QuestionTrace): string {
  // Not part of a policy's face, and only to be read by people.
  const policies = samples.map(
    ({ policy, other }) => `${Reflect.get(policy, 'value')}, other ${Reflect.get(other, 'value')}`,
  )
  return [...policies, ...steps.map((step) => JSON.stringify(step))].join('\n')
}

export interface Asked {
  readonly checks: readonly Check[]
  readonly rows: readonly StoreRow[]
  readonly charge: Question['charge']
  readonly upTo: number | undefined
}

const nothing: Part = { applies: false, share: 0, shadow: false, other: false, note: 0 }

export function checkNth({ policy, other }: Sample, nth: number, key: string, changed = false): Check {
  return checkOf(changed ? other : policy, key, {
    id: `suite:policy${nth}:${partsOf(policy).definition.code}`,
  })
}

/** What one question asks of each policy that applies. */
export function checksOf(samples: readonly Sample[], key: string, parts: readonly Part[]): readonly Check[] {
  const checks: Check[] = []
  for (const [nth, sample] of samples.entries()) {
    const { applies, share, shadow, other, note } = parts[nth] ?? nothing
    const cost = Math.ceil(share * (sample.countsRequests === true ? 3 : sample.capacity))
    if (applies)
      checks.push({ ...checkNth(sample, nth, key, other), cost, shadow, note: noteOf(sample, note) })
  }
  return checks
}

/** The same where a part may be taken: as many units of each policy that costs anything, and how many; the checks as they are where some count no units. */
export function partOf(
  checks: readonly Check[],
  { part }: AskAct,
): { readonly checks: readonly Check[]; readonly upTo?: number } {
  const most = Math.max(0, ...checks.map(({ cost }) => cost))
  if (!part || most === 0 || !checks.every(countsUnits)) return { checks }
  return { checks: checks.map((check) => (check.cost === 0 ? check : { ...check, cost: most })), upTo: most }
}

/** Its parts are not part of a policy's face. */
function countsUnits({ policy }: Check): boolean {
  return Reflect.get(policy, 'inFlight') !== true && Reflect.get(policy, 'countsRequests') !== true
}

/** What was charged: of a part that much of the cost. */
export function charged(check: Check, { taken = check.cost }: StoreRow): Check {
  return { ...check, cost: taken }
}

/** As a limiter asks: no longer than every policy can promise. */
export function patienceUs(samples: readonly Sample[], share: number): number {
  return Math.floor(share * Math.min(...samples.map(({ debtUs = 0 }) => debtUs)))
}

/** Plays questions on a store, on keys of their own. */
export class QuestionRun {
  readonly clock: HistoryClock
  readonly #subject: StoreUnderTest
  readonly #samples: readonly Sample[]
  readonly #key = freshKey()
  readonly #open: { check: Check; receipt: string | number }[] = []
  readonly #slotsAnew = new SlotsAnew()

  constructor(subject: StoreUnderTest, { samples }: QuestionTrace) {
    this.#subject = subject
    this.#samples = samples
    this.clock = new HistoryClock(baseUs, Math.min(...samples.map(({ spanUs }) => spanUs)))
  }

  async step({ clock, act }: QuestionTrace['steps'][number]): Promise<Asked | undefined> {
    await this.#subject.setClock(this.clock.step(clock))
    const { store } = this.#subject
    if (act.act === 'ask') return this.#ask(act)
    if (act.act === 'refund') {
      const [charge] = this.#open.splice(act.of % Math.max(1, this.#open.length), 1)
      if (charge !== undefined && !this.#slotsAnew.has(charge))
        await change(store, [{ ...charge, byUnits: -charge.check.cost }])
      return undefined
    }
    const sample = this.#samples[act.nth]
    if (sample !== undefined) {
      const us = Math.max(1, Math.floor(act.share * sample.spanUs))
      await manage(store, 'block', checkNth(sample, act.nth, this.#key), { us })
    }
    return undefined
  }

  async #ask(act: AskAct): Promise<Asked | undefined> {
    const { take, charge, patience, parts } = act
    const { checks, upTo } = partOf(checksOf(this.#samples, this.#key, parts), act)
    if (checks.length === 0) return undefined
    const maxWaitUs = patienceUs(this.#samples, patience)
    const rows = await ask(this.#subject.store, checks, { take, charge, maxWaitUs, upTo })
    this.clock.stated(Math.max(...rows.map(({ retryAfterUs }) => retryAfterUs)))
    for (const [i, row] of rows.entries()) {
      const check = checks[i]
      if (check === undefined) continue
      this.#slotsAnew.note(check, row.receipt)
      if (row.receipt !== '') this.#open.push({ check: charged(check, row), receipt: row.receipt })
    }
    return { checks, rows, charge, upTo }
  }
}

export async function playQuestions(subject: StoreUnderTest, trace: QuestionTrace): Promise<unknown[]> {
  const run = new QuestionRun(subject, trace)
  const seen: unknown[] = []
  for (const step of trace.steps) {
    const asked = await run.step(step)
    seen.push({ atUs: run.clock.nowUs, rows: asked?.rows.map(factsOf) })
  }
  return seen
}
