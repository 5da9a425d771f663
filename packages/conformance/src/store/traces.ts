import fc from 'fast-check'
import type { ClockStep } from './clock-steps.ts'
import { chosenOrNot } from './samples/chosen.ts'
import type { Sample } from './samples/sample.ts'

/** What happens to a key; amounts are shares of what the policy holds, so that they fit whatever policy is drawn. */
export type Act =
  | { readonly act: 'check' | 'peek'; readonly share: number; readonly other: boolean }
  /** As many units of the cost as fit. */
  | { readonly act: 'part'; readonly share: number; readonly other: boolean }
  /** With so much patience, as a share of the longest that there is. */
  | { readonly act: 'reserve'; readonly share: number; readonly patience: number; readonly other: false }
  /** Of the so many-th charge that is still open (below 0: of the newest), to a share of its cost: 0 is a refund, above 1 a charge. */
  | { readonly act: 'settle'; readonly of: number; readonly share: number }
  /** The so many-th charge that is still open, where it is under way. */
  | { readonly act: 'renew'; readonly of: number }
  | { readonly act: 'penalize' | 'reward'; readonly units: number; readonly other: boolean }
  | { readonly act: 'set'; readonly share: number; readonly other: boolean }
  | { readonly act: 'raise'; readonly share: number }
  | { readonly act: 'block'; readonly share: number; readonly later: boolean }
  | { readonly act: 'unblock' | 'reset' | 'inspect' }

export interface TraceStep {
  readonly clock: ClockStep
  /** Which of two keys. */
  readonly second: boolean
  /** Which of the notes that its calls may have. */
  readonly note: number
  readonly act: Act
}

export interface Trace {
  readonly sample: Sample
  readonly startUs: number
  readonly steps: readonly TraceStep[]
}

type ActName = Act['act']

const costs = fc.constantFrom(0, 0.01, 0.01, 0.01, 0.4, 0.7, 1, 1.3)
const seldom = fc.nat(5).map((n) => n === 0)

const acts: Readonly<Record<ActName, fc.Arbitrary<Act>>> = {
  check: fc.record({ act: fc.constant('check' as const), share: costs, other: seldom }),
  peek: fc.record({ act: fc.constant('peek' as const), share: costs, other: seldom }),
  part: fc.record({ act: fc.constant('part' as const), share: costs, other: seldom }),
  reserve: fc.record({
    act: fc.constant('reserve' as const),
    share: costs,
    patience: fc.constantFrom(0, 0.01, 0.3, 1),
    other: fc.constant(false as const),
  }),
  settle: fc.record({
    act: fc.constant('settle' as const),
    of: fc.integer({ min: -3, max: 5 }),
    share: fc.constantFrom(0, 0, 0.5, 1, 2),
  }),
  renew: fc.record({ act: fc.constant('renew' as const), of: fc.nat(5) }),
  penalize: fc.record({
    act: fc.constant('penalize' as const),
    units: fc.constantFrom(1, 2, 50),
    other: seldom,
  }),
  reward: fc.record({
    act: fc.constant('reward' as const),
    units: fc.constantFrom(1, 1, 2, 3, 50),
    other: seldom,
  }),
  set: fc.record({ act: fc.constant('set' as const), share: costs, other: seldom }),
  raise: fc.record({ act: fc.constant('raise' as const), share: fc.constantFrom(0.01, 0.5, 1) }),
  block: fc.record({
    act: fc.constant('block' as const),
    share: fc.constantFrom(0.1, 0.7, 3),
    later: fc.boolean(),
  }),
  unblock: fc.record({ act: fc.constant('unblock' as const) }),
  reset: fc.record({ act: fc.constant('reset' as const) }),
  inspect: fc.record({ act: fc.constant('inspect' as const) }),
}

const weights: Readonly<Partial<Record<ActName, number>>> = {
  check: 10,
  part: 3,
  reserve: 6,
  settle: 4,
  renew: 4,
  penalize: 2,
  reward: 3,
}

export interface TraceOptions {
  readonly acts: readonly ActName[]
  readonly clock: fc.Arbitrary<ClockStep>
  readonly keys: 1 | 2
  /** Other numbers on the same key: now and then, every other time or never. @default true */
  readonly others?: boolean | 'often'
  readonly maxSteps?: number
}

/** Histories of a strategy's keys. */
export function traces(samples: fc.Arbitrary<Sample>, options: TraceOptions): fc.Arbitrary<Trace> {
  const { clock, keys, others = true, maxSteps = 30 } = options
  const act = fc.oneof(
    ...options.acts.map((name) => ({
      weight: weights[name] ?? 1,
      arbitrary: withOthers(acts[name], others),
    })),
  )
  const step = fc.record({
    clock,
    second: keys === 1 ? fc.constant(false) : fc.boolean(),
    note: fc.nat(5),
    act,
  })
  return fc
    .record({
      sample: others === false ? samples : chosenOrNot(samples),
      startUs: fc.nat(100),
      steps: fc.array(step, { minLength: 1, maxLength: maxSteps }),
    })
    .map((trace) => ({ ...trace, [fc.toStringMethod]: () => readable(trace) }))
}

/** Histories in bursts of plain checks, now and then with something else at the end. */
export function busyTraces(samples: fc.Arbitrary<Sample>): fc.Arbitrary<Trace> {
  const burst = fc.record({
    clock: fc.record({ by: fc.constant('share' as const), share: fc.constantFrom(0.1, 0.5, 1, 1.5) }),
    second: fc.boolean(),
    checks: fc.integer({ min: 1, max: 24 }),
    last: fc.oneof(
      fc.constant(undefined),
      fc.constant(undefined),
      acts.peek,
      acts.settle,
      acts.block,
      acts.unblock,
    ),
  })
  const stay = { by: 'us', us: 0 } as const
  const check = { act: 'check', share: 0.01, other: false } as const
  return fc
    .record({
      sample: samples,
      startUs: fc.nat(100),
      bursts: fc.array(burst, { minLength: 8, maxLength: 16 }),
    })
    .map(({ bursts, ...trace }) => ({
      ...trace,
      steps: bursts.flatMap(({ clock, second, checks, last }) => {
        const done = [...Array.from({ length: checks }, () => check), ...(last === undefined ? [] : [last])]
        return done.map((act, i) => ({ clock: i === 0 ? clock : stay, second, note: 0, act }))
      }),
    }))
    .map((trace) => ({ ...trace, [fc.toStringMethod]: () => readable(trace) }))
}

/** A counterexample as a failed test shows it. */
function readable({ sample: { policy, other, third = other }, startUs, steps }: Trace): string {
  const lines = steps.map((each) => JSON.stringify(each))
  // Not part of a policy's face, and only to be read by people.
  const numbers = [policy, other, third].map((each) => `${Reflect.get(each, 'value')}`)
  return `from ${startUs}: ${numbers.join(', other ')}\n${lines.join('\n')}\n`
}

function withOthers(from: fc.Arbitrary<Act>, others: TraceOptions['others']): fc.Arbitrary<Act> {
  if (others === true) return from
  return fc
    .tuple(from, others === 'often' ? fc.boolean() : fc.constant(false))
    .map(([act, other]) => ('other' in act && act.act !== 'reserve' ? { ...act, other } : act))
}
