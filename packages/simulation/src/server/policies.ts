import type { Policy } from '@sluice/core'
import type { Code } from '../inside/load.ts'

/**
 * Which policy a call means: the one whose numbers are those that it brings. A server of Redis computes with the numbers; this one has
 * all policies of a history, and a call with other numbers is a defect of who sent it.
 */
export class KnownPolicies {
  readonly #code: Code
  readonly #byNumbers = new Map<string, Policy>()
  /** How many numbers policies of a strategy have, the most first. */
  readonly #counts = new Map<string, readonly number[]>()
  /** What was found, by all the words that it was looked for by. */
  readonly #found = new Map<string, Policy>()

  constructor(code: Code) {
    this.#code = code
  }

  /** Also as it is chosen for a call, and as units of it are taken ahead. */
  add(policy: Policy, aheadUs: number | undefined): void {
    this.#set(policy)
    this.#set(this.#code.definitions.chosenFor(policy))
    if (aheadUs !== undefined) this.#set(this.#code.definitions.countedAhead(policy, 'any', aheadUs))
  }

  #set(policy: Policy): void {
    const { definition, args, blocking } = this.#code.partsOf(policy)
    const block = blocking === undefined ? '' : this.#code.definitions.blockText(blocking, undefined)
    const counts = new Set([...(this.#counts.get(definition.code) ?? []), args.length])
    this.#counts.set(
      definition.code,
      [...counts].sort((a, b) => b - a),
    )
    this.#byNumbers.set(nameOf(definition.code, args, block), policy)
    // Calls that decide nothing say nothing of blocks.
    if (blocking !== undefined) this.#byNumbers.set(nameOf(definition.code, args, 'any'), policy)
  }

  /** `args`: the strategy's numbers, and what a call may have behind them. `role`: as it is spelled, where a call has one. */
  find(code: string, args: readonly string[], role: string | undefined): Policy {
    const words = `${code} ${role} ${args.join(' ')}`
    const known = this.#found.get(words)
    if (known !== undefined) return known
    const found = this.#search(code, args, role)
    this.#found.set(words, found)
    return found
  }

  #search(code: string, args: readonly string[], role: string | undefined): Policy {
    const block = role === undefined ? 'any' : shortened(role.slice(1).replace(/^l/, ''))
    for (const count of this.#counts.get(code) ?? []) {
      const numbers = args.slice(0, count)
      const policy =
        this.#byNumbers.get(nameOf(code, numbers, block)) ??
        (role === undefined ? this.#byNumbers.get(nameOf(code, numbers, '')) : undefined)
      if (policy !== undefined) return policy
    }
    throw new Error(`a call has numbers that no policy has: ${code} ${args.join(' ')} ${role ?? ''}`)
  }
}

function nameOf(code: string, args: readonly string[], block: string): string {
  return `${code} ${args.join(' ')} ${block}`
}

/** The first two numbers of how a policy blocks. */
function shortened(block: string): string {
  return block.split(':').slice(0, 3).join(':')
}
