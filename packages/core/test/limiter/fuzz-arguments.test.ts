import { describe, expect, it } from '@jest/globals'
import { type Means, nonsense, perPolicy } from '@sluice/conformance/options'
import { manualClock } from '@sluice/testing'
import fc from 'fast-check'
import {
  attributedWindow,
  createLimiter,
  type Decision,
  fixedWindow,
  memoryStore,
  notApplicable,
} from '../../src/index.ts'

const limit = 3
const runs = { numRuns: 2000 }
const policies = {
  visitor: fixedWindow({ limit, window: '10s' }),
  attraction: attributedWindow({ limit, window: '10s' }),
}

/** As JavaScript may call it. */
interface Untyped {
  check(subject: unknown, options?: unknown): Promise<Decision>
  peek(subject: unknown, options?: unknown): Promise<Decision>
  inspect(subject: unknown): Promise<unknown>
  block(subject: unknown, time: unknown): Promise<void>
  unblock(subject: unknown): Promise<void>
  reset(subject: unknown): Promise<void>
  penalize(subject: unknown, penalty: unknown): Promise<void>
  reward(subject: unknown, units: unknown): Promise<void>
  set(subject: unknown, used: unknown): Promise<void>
}

function fresh(): Untyped {
  const logger = { warn: () => {}, error: () => {} }
  return createLimiter({
    policies,
    store: memoryStore({ clock: manualClock() }),
    logger,
  }) as unknown as Untyped
}

/** What it answers; undefined where it has rejected with a TypeError that says what was wrong with one of its arguments. */
async function answerOf<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError)
    const { message } = error as TypeError
    expect(message).toMatch(
      /^(subject|key|options|cost|policy|policies|note|time|wait|penalty|units|used|about)\b.*: expected .*, got ./s,
    )
    return undefined
  }
}

const names = ['visitor', 'attraction']
const units = perPolicy((value) => Number.isSafeInteger(value) && Number(value) >= 0, names)
const costs: Means = (value) => value === undefined || units(value)
const members = (value: fc.Arbitrary<unknown>) =>
  fc.record({ visitor: value, attraction: value, visiter: value }, { requiredKeys: [] })
const subjects = fc.oneof(
  fc.constantFrom<unknown>('bob', { visitor: 'bob', attraction: notApplicable }),
  nonsense,
  members(fc.oneof(nonsense, fc.constantFrom<unknown>('bob', notApplicable))),
  fc.array(fc.oneof(nonsense, fc.string()), { maxLength: 3 }),
)
const options = fc.oneof(
  nonsense,
  fc.record({ cost: fc.oneof(nonsense, members(nonsense)) }),
  fc.record({ policies: fc.oneof(nonsense, members(nonsense)) }),
  fc.record({ policy: nonsense, note: nonsense, nots: nonsense }, { requiredKeys: [] }),
)

/** A policy that was asked nothing: no key of its own, or a cost of 0, which looks without taking. */
function isAsked({ verdicts }: Decision): boolean {
  const all = Object.values(verdicts)
  return all.length > 0 && all.some((verdict) => verdict !== undefined && verdict.cost > 0)
}

describe('a call with nonsense', () => {
  it('gets an error that says what is wrong with it, or is decided within the limits', async () => {
    const property = fc.asyncProperty(subjects, options, async (subject, given) => {
      const limiter = fresh()
      let admitted = 0
      for (let i = 0; i <= limit; i++) {
        const decision = await answerOf(limiter.check(subject, given))
        if (decision === undefined) break
        // The cost of a policy that does not apply is nobody's.
        if (Object.keys(decision.verdicts).length === 2) expect(costs(Object(given).cost)).toBe(true)
        if (!isAsked(decision)) return expect(mayAskNothing(subject, given)).toBe(true)
        if (decision.allowed) admitted++
      }
      expect(admitted).toBeLessThanOrEqual(limit)
    })
    await fc.assert(property, runs)
  })
})

/** Only notApplicable for every policy, or a cost of 0, asks for nothing. */
function mayAskNothing(subject: unknown, given: unknown): boolean {
  const { cost } = Object(given) as { cost?: unknown }
  const keys = Object.values(Object(subject))
  const nobody = keys.length > 0 && keys.every((key) => key === notApplicable)
  return nobody || [cost, ...Object.values(Object(cost))].includes(0)
}

describe('nonsense elsewhere', () => {
  const other = fc.record({
    operation: fc.constantFrom('inspect', 'block', 'unblock', 'reset', 'penalize', 'peek'),
    subject: subjects,
    more: fc.oneof(nonsense, options, fc.record({ wait: nonsense }), members(nonsense)),
  } as const)

  it('gets an error too, and an exhausted key stays exhausted', async () => {
    const property = fc.asyncProperty(other, async ({ operation, subject, more }) => {
      const limiter = fresh()
      for (let i = 0; i < limit; i++) await limiter.check('eva')
      await answerOf<unknown>(limiter[operation](subject, more))
      expect((await limiter.check('eva')).allowed).toBe(false)
    })
    await fc.assert(property, runs)
  })

  it.each(['reward', 'set'] as const)('is no number of units: %s', async (verb) => {
    const property = fc.asyncProperty(fc.oneof(nonsense, members(nonsense)), async (given) => {
      const done = await answerOf(
        fresh()
          [verb]('bob', given)
          .then(() => true),
      )
      if (done) expect(units(given)).toBe(true)
    })
    await fc.assert(property, runs)
  })

  it('is no penalty', async () => {
    const wait = (value: unknown) =>
      typeof value === 'number' && value > 0 && value < Number.POSITIVE_INFINITY
    const penalties = fc.oneof(nonsense, members(nonsense), fc.record({ wait: nonsense }))
    const property = fc.asyncProperty(penalties, async (penalty) => {
      const punished = await answerOf(
        fresh()
          .penalize('bob', penalty)
          .then(() => true),
      )
      if (punished) expect(units(penalty) || wait(Object(penalty).wait)).toBe(true)
    })
    await fc.assert(property, runs)
  })

  it('settles nothing, and never rejects', async () => {
    const property = fc.asyncProperty(fc.oneof(nonsense, members(nonsense)), async (cost) => {
      const limiter = fresh()
      const decision = await limiter.check('bob')
      await decision.settle(cost as number)
      const { remaining } = await limiter.peek('bob')
      expect(remaining).toBeGreaterThanOrEqual(0)
      expect(remaining).toBeLessThanOrEqual(limit)
    })
    await fc.assert(property, runs)
  })
})
