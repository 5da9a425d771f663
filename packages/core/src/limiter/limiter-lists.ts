import type { Inspection } from '../decision/decision.ts'
import type { LaneCheck, ListedCheck } from '../decision/lane.ts'
import { denied, type UncountedRefusal } from '../decision/limiter-decision.ts'
import type { Key } from '../key.ts'
import { type Listed, type Lists, strongerOf } from '../lists.ts'

export class LimiterLists {
  readonly given: readonly Lists[]
  readonly #limiter: string

  constructor(limiter: string, lists: readonly Lists[]) {
    this.#limiter = limiter
    this.given = lists
  }

  ofAddress(address: string): Listed | undefined {
    let found: Listed | undefined
    for (const lists of this.given) found = strongerOf(found, lists.ofAddress(address, this.#limiter))
    return found
  }

  ofKey(key: Key): Listed | undefined {
    let found: Listed | undefined
    for (const lists of this.given) found = strongerOf(found, lists.ofKey(key, this.#limiter))
    return found
  }

  /** The check that a list refuses; else the checks without those whose key a list allows, as no policy is asked about such a key. */
  screen(checks: readonly LaneCheck[]): readonly LaneCheck[] | ListedCheck {
    let refused: ListedCheck | undefined
    let left = checks
    for (const check of checks) {
      const listed = this.ofKey(check.asked)
      if (listed === undefined) continue
      if (listed.list === 'allow') left = left.filter((each) => each !== check)
      else if (refused === undefined || strongerOf(refused.listed, listed) === listed)
        refused = { check, listed }
    }
    return refused ?? left
  }

  /** The inspection; if its key is on a list, with what a check would answer because of that. */
  inspected(inspection: Inspection, key: Key): Inspection {
    const listed = this.ofKey(key)
    if (listed === undefined) return inspection
    const { list, endsInMs } = listed
    const { shadow: _shadow, ...count } = inspection
    const facts = list === 'allow' ? passes : { allowed: false, ...refusalBy(listed) }
    return { ...count, ...facts, listed: { list, endsInMs } } as Inspection // reason and time agree with `allowed`
  }
}

/** The facts of an inspection if a check would pass. */
export const passes = { allowed: true, reason: null, retryAfterMs: null } as const

/** What a refused caller learns: one on a deny list does not learn when its entry ends. */
export function refusalBy({ list, endsInMs }: Listed): UncountedRefusal {
  return list === 'deny' ? denied : { reason: 'blocked', retryAfterMs: endsInMs }
}
