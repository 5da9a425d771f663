import type { Policy } from '@sluice/core'
import type { Transact } from '@sluice/state'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, it } from '../runner.ts'
import type { StoreCase } from './case.ts'
import { stepsOn } from './clock-steps.ts'
import { keepsItsPromise, statedWaitsHold, waitsAsStated } from './history-cases.ts'
import { memoryUnderTest } from './memory-under-test.ts'
import { nothingToGiveBack, writesNothing } from './rule-cases.ts'
import { propertyTimeoutMs, runs } from './runs.ts'
import { compare, describeSameRows, sights } from './same-rows.ts'
import { samplesOf } from './samples/from-vectors.ts'
import type { Admission, Samples } from './samples/sample.ts'
import { statesUnderTest } from './state-under-test.ts'
import { type Trace, type TraceOptions, traces } from './traces.ts'
import type { StoreFactory, StoreUnderTest } from './under-test.ts'
import { vectorCases } from './vector-cases.ts'
import { stepOf, type Vector } from './vectors.ts'

export interface StrategyUnderTest<Options extends object> {
  /** Rows that were worked out by hand: at this instant this call gets this answer. */
  readonly vectors: readonly Vector<Options>[]
  /** What it promises of everything that was ever admitted, as the first breach of it. @default nothing */
  readonly breach?: ((admissions: readonly Admission[], policy: Policy) => string | undefined) | undefined
  /** Stores beside memory and JSON states, by name. @default none */
  readonly stores?: { readonly [name: string]: StoreFactory } | undefined
}

/**
 * What every strategy must do: its vectors and random histories, in memory and on states that are written as JSON.
 *
 * @example describeStrategy(backoff, { vectors: [{ title: 'doubles', policies: [{ first: '1s' }], rows: [[0, 'check', 1]] }] })
 */
export function describeStrategy<Options extends object>(
  strategy: (options: Options) => Policy,
  { vectors, breach, stores = {} }: StrategyUnderTest<Options>,
): void {
  const { name } = strategy
  const cases = vectors.map(({ title, policies, rows }) => {
    return { title, policies: policies.map(strategy), steps: rows.map(stepOf) }
  })
  const samples = samplesOf(
    name,
    cases.flatMap(({ policies }) => policies),
    breach,
  )
  const [policy] = cases.flatMap(({ policies }) => policies)
  if (policy === undefined) throw new TypeError(`vectors: expected at least one policy of ${name}`)
  const byVector = vectorCases(name, cases)
  const lives = cases.some(({ steps }) => steps.some(({ lifeUs }) => lifeUs !== null))
  const answers = byVector.slice(0, -1)
  const properties = propertiesOf(samples, { policy, promises: breach !== undefined })
  const states = () => statesUnderTest(async () => ({ transact: inMap() }))

  describeCases(`${name} in memory`, memoryUnderTest, answers)
  describeCases(`${name} in JSON states`, states, [...(lives ? byVector : answers), ...properties])
  for (const [store, factory] of Object.entries({ 'JSON states': states, ...stores })) {
    const histories = traces(samples.samples, { acts: actsOf(policy), clock: stepsOn, keys: 2 })
    describeSameRows(
      `${name} in memory and in ${store}`,
      [memoryUnderTest, factory],
      [compare('agree on random histories', histories, sights)],
    )
    if (store in stores) describeCases(`${name} in ${store}`, factory, answers)
  }
}

function describeCases(name: string, factory: StoreFactory, cases: readonly StoreCase[]): void {
  describe(name, () => {
    let subject: StoreUnderTest
    beforeAll(async () => {
      subject = await factory()
    })
    afterAll(() => subject.close())
    for (const { title, run } of cases) it(title, () => run(subject), propertyTimeoutMs)
  })
}

/** What a caller may do with it. */
function actsOf({ can }: Policy): TraceOptions['acts'] {
  return [
    'check',
    'peek',
    'inspect',
    'block',
    'unblock',
    'reset',
    ...('refund' in can ? (['settle'] as const) : []),
    ...('reserve' in can ? (['reserve'] as const) : []),
    ...('penalize' in can ? (['penalize', 'set', 'raise'] as const) : []),
    ...('reward' in can ? (['reward'] as const) : []),
  ]
}

function propertiesOf(
  { strategy: about, samples }: Samples,
  { policy, promises }: { policy: Policy; promises: boolean },
): StoreCase[] {
  const acts = actsOf(policy)
  const any = traces(samples, { acts, clock: stepsOn, keys: 1, others: false })
  const given = traces(samples, {
    acts: acts.filter((act) => ['check', 'peek', 'reserve', 'settle'].includes(act)),
    clock: stepsOn,
    keys: 1,
    others: false,
  })
  const unblocked = traces(samples, {
    acts: acts.filter((act) => !['block', 'unblock', 'reset'].includes(act)),
    clock: stepsOn,
    keys: 2,
    others: false,
  })
  const holds = (
    title: string,
    property: (subject: StoreUnderTest, trace: Trace) => Promise<void>,
    from: fc.Arbitrary<Trace>,
  ): StoreCase => ({
    about,
    title,
    run: (subject) =>
      fc.assert(
        fc.asyncProperty(from, (trace) => property(subject, trace)),
        runs(100, subject),
      ),
  })
  return [
    holds('lets in after the stated wait and not 1 µs earlier', statedWaitsHold, any),
    holds('a refusal, a peek and an inspect write nothing', writesNothing, unblocked),
    holds('gives nothing back to a key that was reset', nothingToGiveBack, given),
    ...(promises ? [holds('keeps its promise', keepsItsPromise, given)] : []),
    ...('reserve' in policy.can
      ? [holds('makes a reservation wait exactly as long as a refusal would state', waitsAsStated, any)]
      : []),
  ]
}

/** States as a database keeps them. */
function inMap(): Transact {
  const states = new Map<string, string>()
  return async (keys, change) => {
    const { result, writes } = change(
      keys.map((key) => states.get(key) ?? null),
      Date.now() * 1000,
    )
    for (const { key, state } of writes) {
      if (state === null) states.delete(key)
      else states.set(key, state)
    }
    return result
  }
}
