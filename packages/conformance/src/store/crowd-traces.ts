import type { Check, Question } from '@sluice/core'
import fc from 'fast-check'
import { askAll, change, factsOf, freshKey, manage } from './asking.ts'
import { type ClockStep, HistoryClock, stepsOn } from './clock-steps.ts'
import { type AskAct, asking, charged, checkNth, checksOf, partOf, patienceUs } from './question-traces.ts'
import type { Sample } from './samples/sample.ts'
import { SlotsAnew } from './slots-anew.ts'
import { baseUs, type StoreUnderTest } from './under-test.ts'

/** One of many questions that are asked at once. */
interface CrowdAct extends AskAct {
  /** Which of three keys. */
  readonly key: number
  /** The index of the one policy that it asks, of those that apply; left out: all of them. */
  readonly only: number | undefined
}

interface CrowdStep {
  readonly clock: ClockStep
  readonly crowd: readonly CrowdAct[]
  /** Which charge is given back first, where there is one. */
  readonly refund: number | undefined
  /** Which policy's key is blocked first, and for how many spans. */
  readonly block: { readonly nth: number; readonly key: number; readonly spans: number } | undefined
  /** Which policy's key is given units first, or counts as having used so many. */
  readonly hand:
    | { readonly op: 'reward' | 'set'; readonly nth: number; readonly key: number; readonly units: number }
    | undefined
}

export interface CrowdTrace {
  readonly samples: readonly Sample[]
  readonly steps: readonly CrowdStep[]
}

const nth = fc.nat(2)
function acts(others: boolean): fc.Arbitrary<CrowdAct> {
  const asked = asking({ patience: true, others })
  return fc
    .record({ asked, key: nth, only: fc.option(nth, { nil: undefined }) })
    .map(({ asked, key, only }) => ({ ...asked, key, only }))
}

const steps = (others: boolean): fc.Arbitrary<CrowdStep> =>
  fc.record({
    clock: stepsOn,
    // Some questions are asked by several callers: a crowd repeats itself.
    crowd: fc
      .array(fc.record({ act: acts(others), times: fc.constantFrom(1, 1, 1, 2, 5) }), {
        minLength: 1,
        maxLength: 12,
      })
      .map((acts) => acts.flatMap(({ act, times }) => Array.from({ length: times }, () => act))),
    refund: fc.option(fc.nat(20), { nil: undefined }),
    block: fc.option(fc.record({ nth, key: nth, spans: fc.constantFrom(0.2, 1.5) }), {
      nil: undefined,
      freq: 3,
    }),
    hand: fc.option(
      fc.record({
        op: fc.constantFrom('reward' as const, 'reward' as const, 'set' as const),
        nth,
        key: nth,
        units: fc.constantFrom(0, 1, 2, 50),
      }),
      { nil: undefined },
    ),
  })

/** Histories of crowds: many questions at once, to one to three policies of any strategies, about three keys. */
export function crowdTraces(
  samples: fc.Arbitrary<Sample>,
  { others = true }: { readonly others?: boolean } = {},
): fc.Arbitrary<CrowdTrace> {
  return fc.record({
    samples: fc.array(samples, { minLength: 1, maxLength: 3 }),
    steps: fc.array(steps(others), { minLength: 1, maxLength: 8 }),
  })
}

/** Plays crowds on a store, on keys of their own; answers all rows. */
export async function playCrowds(
  subject: StoreUnderTest,
  { samples, steps }: CrowdTrace,
): Promise<unknown[]> {
  const { store, setClock } = subject
  const keys = [freshKey(), freshKey(), freshKey()]
  const clock = new HistoryClock(baseUs, Math.min(...samples.map(({ spanUs }) => spanUs)))
  const open: { check: Check; receipt: string | number; atUs: number }[] = []
  const setUs = new Map<string, number>()
  const slotsAnew = new SlotsAnew()
  const seen: unknown[] = []
  for (const { clock: by, crowd, refund, block, hand } of steps) {
    await setClock(clock.step(by))
    const [charge] = refund === undefined ? [] : open.splice(refund % Math.max(1, open.length), 1)
    // A server cannot tell what was charged in the very instant in which the count was set.
    const isKnown = charge !== undefined && setUs.get(nameOf(charge.check)) !== charge.atUs
    if (isKnown && !slotsAnew.has(charge))
      await change(store, [{ check: charge.check, receipt: charge.receipt, byUnits: -charge.check.cost }])
    const blocked = block === undefined ? undefined : samples[block.nth]
    if (block !== undefined && blocked !== undefined) {
      const us = Math.max(1, Math.floor(block.spans * blocked.spanUs))
      await manage(store, 'block', checkNth(blocked, block.nth, keys[block.key] ?? ''), { us })
    }
    const handled = hand === undefined ? undefined : samples[hand.nth]
    if (hand !== undefined && handled !== undefined && handled.inFlight !== true) {
      const { op, units } = hand
      const check = checkNth(handled, hand.nth, keys[hand.key] ?? '')
      if (op === 'set') {
        setUs.set(nameOf(check), clock.nowUs)
        await manage(store, 'set', check, { units })
      } else if (units > 0) await change(store, [{ check, receipt: null, byUnits: -units, reward: true }])
    }
    const questions = crowd.flatMap((act): Question[] => {
      const { parts, key, only, patience, take, charge: mode } = act
      const all = checksOf(samples, keys[key] ?? '', parts)
      const asked = partOf(only === undefined ? all : all.slice(only, only + 1), act)
      const maxWaitUs = patienceUs(samples, patience)
      return asked.checks.length === 0 ? [] : [{ ...asked, charge: mode, maxWaitUs, take }]
    })
    const answers = await askAll(subject, questions)
    const rows = answers.flat()
    clock.stated(Math.max(0, ...rows.map(({ retryAfterUs }) => retryAfterUs)))
    for (const [i, check] of questions.flatMap(({ checks }) => checks).entries()) {
      const row = rows[i]
      slotsAnew.note(check, row?.receipt)
      if (row !== undefined && row.receipt !== '')
        open.push({ check: charged(check, row), receipt: row.receipt, atUs: clock.nowUs })
    }
    seen.push({ atUs: clock.nowUs, rows: rows.map(factsOf) })
  }
  return seen
}

function nameOf({ id, key }: Check): string {
  return `${id} ${key}`
}
