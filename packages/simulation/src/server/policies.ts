import type { CalendarWindow, Policy } from '@sluice/core'
import type { Code } from '../inside/load.ts'

/** What the words of a strategy in a call stand for. */
export interface Meant {
  readonly policy: Policy
  /** The note of the call; undefined where its strategy has none. */
  readonly note: string | undefined
}

interface Found {
  readonly policy: Policy
  /** Where among the words the note stands; -1: nowhere. */
  readonly noteAt: number
}

/** How many ends of a calendar a call brings. */
const calendarEnds = 3

/**
 * Finds the policy that a call means, by the numbers that it brings. A Redis server computes with these numbers; this one has all policies
 * of a history, and a call with other numbers is a defect of its sender. Of a calendar it knows only the ends that a call brings, as a
 * script does.
 */
export class KnownPolicies {
  readonly #code: Code
  readonly #byNumbers = new Map<string, Policy>()
  /** How many numbers policies of a strategy have, the most first. */
  readonly #counts = new Map<string, readonly number[]>()
  /** What was found, by all the words of its search. */
  readonly #found = new Map<string, Found>()

  constructor(code: Code) {
    this.#code = code
  }

  /** Adds a policy, also as it is when it is chosen for a call, and when units of it are taken ahead. */
  add(policy: Policy, aheadUs: number | undefined): void {
    this.#set(policy)
    this.#set(this.#code.definitions.chosenFor(policy))
    if (aheadUs !== undefined) this.#set(this.#code.definitions.countedAhead(policy, 'any', aheadUs))
  }

  /** Adds a policy that calls choose in place of another. */
  addChosen(policy: Policy, own: Policy): void {
    this.#set(this.#code.definitions.chosenFor(policy, own))
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
    // Calls that decide nothing do not carry how a policy blocks.
    if (blocking !== undefined) this.#byNumbers.set(nameOf(definition.code, args, 'any'), policy)
  }

  /** `args`: the strategy's numbers, and what a call may have behind them. `role`: the role in the call, where it has one. */
  find(code: string, args: readonly string[], role: string | undefined): Meant {
    const words = `${code} ${role} ${args.join(' ')}`
    let found = this.#found.get(words)
    if (found === undefined) {
      found = this.#search(code, args, role)
      this.#found.set(words, found)
    }
    const { policy, noteAt } = found
    return { policy, note: noteAt < 0 ? undefined : args[noteAt] }
  }

  /** How many units the policy's limit is. */
  unitsOf(policy: Policy): number {
    return this.#code.partsOf(policy).units
  }

  #search(code: string, args: readonly string[], role: string | undefined): Found {
    const block = role === undefined ? 'any' : shortened(role.slice(1).replace(/^l/, ''))
    for (const count of this.#counts.get(code) ?? []) {
      const numbers = args.slice(0, count)
      const policy =
        this.#byNumbers.get(nameOf(code, numbers, block)) ??
        (role === undefined ? this.#byNumbers.get(nameOf(code, numbers, '')) : undefined)
      if (policy !== undefined) return this.#foundAt(policy, args, count)
    }
    throw new Error(`a call has numbers that no policy has: ${code} ${args.join(' ')} ${role ?? ''}`)
  }

  /** Behind the policy's numbers stand the ends of its calendar, and what its strategy wants of each call. */
  #foundAt(policy: Policy, args: readonly string[], count: number): Found {
    const { definition, numbers, calendar, blocking, options, scale } = this.#code.partsOf(policy)
    const note = definition.wants?.indexOf('note') ?? -1
    const ends = calendar === undefined ? 0 : calendarEnds
    const noteAt = note < 0 ? -1 : count + ends + note
    if (calendar === undefined) return { policy, noteAt }
    const sent = new SentCalendar(args.slice(count, count + ends).map(Number), windowUsOf(numbers))
    const own = { ...(numbers as object), calendar: sent }
    return { policy: this.#code.definitions.policyOf(definition, own, { blocking, options, scale }), noteAt }
  }
}

function nameOf(code: string, args: readonly string[], block: string): string {
  return `${code} ${args.join(' ')} ${block}`
}

/** The first two numbers of how a policy blocks. */
function shortened(block: string): string {
  return block.split(':').slice(0, 3).join(':')
}

/** The length of a calendar's longest window. */
function windowUsOf(numbers: unknown): number {
  return (numbers as { windowUs: number }).windowUs // all that follow a calendar have one
}

/** The windows between the ends that a call has brought; see fixedWindow.lua. */
class SentCalendar {
  readonly #ends: readonly number[]
  readonly #longestUs: number

  constructor(ends: readonly number[], longestUs: number) {
    this.#ends = ends
    this.#longestUs = longestUs
  }

  windowAt(us: number): CalendarWindow {
    const next = this.#ends.findIndex((end) => end > us)
    const endUs = this.#ends[next]
    // The caller's idea of the server's clock was wrong by more than a window.
    if (endUs === undefined || endUs > us + 2 * this.#longestUs)
      return { startUs: us, endUs: us + this.#longestUs }
    return { startUs: this.#ends[next - 1] ?? 0, endUs }
  }
}
