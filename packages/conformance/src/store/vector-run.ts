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

/** Runs a case and says how it differs from what is written; lives only where they are asked for. */
export async function runVector(
  subject: StoreUnderTest,
  { vector: { policies, steps }, lives }: { vector: VectorCase; lives: boolean },
): Promise<void> {
  const run = new VectorRun(subject, policies)
  const expected: unknown[] = []
  const seen: unknown[] = []
  for (const [i, step] of steps.entries()) {
    const { atUs, operation, amount, answer, lifeUs } = step
    await subject.setClock(baseUs + atUs)
    const row = await run.step(step, i + 1)
    const label = `${i + 1}: ${operation} ${amount} at ${atUs}`
    if (lives && operation !== 'use') {
      expected.push([label, lifeUs])
      seen.push([label, await subject.lifeUs?.(run.check(1))])
    } else if (!lives && answer !== undefined && row !== undefined) {
      const { allowed, reason, limit, remaining, retryAfterUs, resetAfterUs, waitUs } = row
      expected.push([label, answer])
      seen.push([label, { allowed, reason, limit, remaining, retryAfterUs, resetAfterUs, waitUs }])
    }
  }
  expect(seen).toEqual(expected)
}
