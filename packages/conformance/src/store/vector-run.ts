import type { Check, HeldLease, Policy, Renewal, StoreRow } from '@sluice/core'
import { expect } from '../runner.ts'
import { askOne, change, checkOf, freshKey, manage } from './asking.ts'
import { baseUs, type StoreUnderTest } from './under-test.ts'
import type { VectorCase, VectorStep } from './vectors.ts'

/** One case, on a key of its own. */
class VectorRun {
  readonly #subject: StoreUnderTest
  readonly #policies: readonly Policy[]
  readonly #key = freshKey()
  readonly #taken = new Map<number, { check: Check; row: StoreRow }>()
  #current = 0

  constructor(subject: StoreUnderTest, policies: readonly Policy[]) {
    this.#subject = subject
    this.#policies = policies
  }

  check(cost: number, note?: string): Check {
    const policy = this.#policies[this.#current]
    if (policy === undefined) throw new Error(`the case has no policy ${this.#current}`)
    return checkOf(policy, this.#key, { cost, note })
  }

  /** The row that a step is answered, where it asks. */
  async step({ operation, amount }: VectorStep, nth: number): Promise<StoreRow | undefined> {
    const { store } = this.#subject
    const [word, of] = operation.split(' ')
    const check = this.check(amount, of)
    switch (word) {
      case 'check':
      case 'reserve': {
        const maxWaitUs = word === 'check' ? 0 : Number(of)
        const row = await askOne(store, check, { maxWaitUs })
        this.#taken.set(nth, { check, row })
        return row
      }
      case 'peek':
        return askOne(store, check, { take: false })
      case 'use':
        this.#current = amount
        return undefined
      case 'penalize':
        await change(store, [{ check, receipt: null, byUnits: amount }])
        return undefined
      case 'reward':
        await change(store, [{ check, receipt: null, byUnits: -amount, reward: true }])
        return undefined
      case 'set':
        await manage(store, 'set', this.check(1), { units: amount })
        return undefined
      case 'raise':
        await change(store, [{ check, receipt: null, byUnits: 0, atLeastUs: amount }])
        return undefined
      case 'settle':
        await this.#settle(Number(of), amount)
        return undefined
      case 'held':
      case 'regained':
      case 'lost':
        expect([nth, ...(await this.#renew(Number(of)))]).toEqual([nth, word])
        return undefined
      case 'block':
      case 'unblock':
      case 'reset':
        await manage(store, word, this.check(1), { us: amount })
        return undefined
      default:
        throw new Error(`no such operation: ${operation}`)
    }
  }

  async #settle(nth: number, cost: number): Promise<void> {
    const { check, receipt } = this.#takenBy(nth)
    await change(this.#subject.store, [{ check, receipt, byUnits: cost - check.cost }])
  }

  async #renew(nth: number): Promise<readonly Renewal[]> {
    return (await this.#subject.store.renew?.([this.#takenBy(nth)])) ?? []
  }

  #takenBy(nth: number): HeldLease {
    const taken = this.#taken.get(nth)
    if (taken === undefined || taken.row.receipt === '') throw new Error(`step ${nth} has taken nothing`)
    return { check: taken.check, receipt: taken.row.receipt }
  }
}

/** What a store has answered to the steps of a case, and which lives its key had, beside what is written. */
interface PlayedVector {
  readonly answers: Compared
  readonly lives: Compared
}

interface Compared {
  readonly seen: unknown[]
  readonly expected: unknown[]
}

async function play(subject: StoreUnderTest, { policies, steps }: VectorCase): Promise<PlayedVector> {
  const run = new VectorRun(subject, policies)
  const answers: Compared = { seen: [], expected: [] }
  const lives: Compared = { seen: [], expected: [] }
  for (const [i, step] of steps.entries()) {
    const { atUs, operation, amount, answer, lifeUs } = step
    await subject.setClock(baseUs + atUs)
    const row = await run.step(step, i + 1)
    const label = `${i + 1}: ${operation} ${amount} at ${atUs}`
    if (answer !== undefined && row !== undefined) {
      const { allowed, reason, limit, remaining, retryAfterUs, resetAfterUs, waitUs } = row
      answers.expected.push([label, answer])
      answers.seen.push([label, { allowed, reason, limit, remaining, retryAfterUs, resetAfterUs, waitUs }])
    }
    if (subject.lifeUs !== undefined && operation !== 'use') {
      lives.expected.push([label, lifeUs])
      lives.seen.push([label, await subject.lifeUs(run.check(1))])
    }
  }
  return { answers, lives }
}

const played = new WeakMap<StoreUnderTest, Map<VectorCase, Promise<PlayedVector>>>()

/** A store plays each case once: one test compares the answers, another one the lives. */
export function playedVector(subject: StoreUnderTest, vector: VectorCase): Promise<PlayedVector> {
  const ofSubject = played.get(subject) ?? new Map<VectorCase, Promise<PlayedVector>>()
  played.set(subject, ofSubject)
  const known = ofSubject.get(vector) ?? play(subject, vector)
  ofSubject.set(vector, known)
  return known
}
