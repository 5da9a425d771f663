import type { Policy } from '../policy.ts'
import type { Check } from '../store.ts'
import { partsOf, policyOf } from '../strategies/policy-parts.ts'

/** Policies as one of several processes counts them while the store is away. */
export class Shares {
  readonly #processes: () => number
  #of = 1
  #shares = new WeakMap<Policy, Policy>()

  /** `processes`: how many processes share a limit; asked whenever a share is needed, as processes come and go. */
  constructor(processes: () => number) {
    this.#processes = processes
  }

  /** The check, with the part of its limit that this process has. */
  shareOf(check: Check): Check {
    const processes = this.#count()
    if (processes !== this.#of) {
      this.#of = processes
      this.#shares = new WeakMap()
    }
    return processes === 1 ? check : { ...check, policy: this.#policyFor(check.policy) }
  }

  /** Anything that is no count is 1, the whole limit: no request suffers from the user's function. */
  #count(): number {
    try {
      return Math.max(1, Math.floor(this.#processes()) || 1)
    } catch {
      return 1
    }
  }

  #policyFor(policy: Policy): Policy {
    const known = this.#shares.get(policy)
    if (known !== undefined) return known
    const { definition, numbers, blocking } = partsOf(policy)
    const share =
      definition.share === undefined
        ? policy
        : policyOf(definition, definition.share(numbers, this.#of), { blocking, options: undefined })
    this.#shares.set(policy, share)
    return share
  }
}
