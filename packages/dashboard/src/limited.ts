import {
  type Decision,
  type Duration,
  type Health,
  type Inspection,
  type Key,
  type NotApplicable,
  notApplicable,
  type Policies,
} from '@sluice/core'
import type { Row } from './row.ts'
import { rowId } from './row-info.ts'

/** What the dashboard needs of a limiter or a tree of limits. */
export interface Limited {
  readonly name: string
  readonly policies?: Policies | undefined
  health(): Health
  // Each only gets keys from its own decisions: a subject for a limiter, a path for a tree.
  inspect(subject: never): Promise<{ readonly [policy: string]: Inspection | undefined }>
  block(subject: never, time: Duration): Promise<void>
  unblock(subject: never): Promise<void>
  reset(subject: never): Promise<void>
}

/** The current limiters, in their order. */
export class Known {
  readonly #ask: () => readonly Limited[]
  #limiters: readonly Limited[] = []

  constructor(ask: () => readonly Limited[]) {
    this.#ask = ask
  }

  get all(): readonly Limited[] {
    return this.#limiters
  }

  find(name: string): Limited | undefined {
    return this.#limiters.find((limiter) => limiter.name === name)
  }

  /** Whether a row belongs to one of them: it stays even without units. */
  holds({ limiter, policy }: Row): boolean {
    return Object.hasOwn(this.find(limiter)?.policies ?? {}, policy)
  }

  /** If the user's function throws, the previous limiters stay. */
  refresh(): void {
    try {
      this.#limiters = this.#ask()
    } catch {
      // The function is called again in a second.
    }
  }

  /** Sorts rows by limiter, then by policy; unknown rows come last, in the order of their arrival. */
  order(rows: Iterable<Row>): readonly Row[] {
    const limiters = new Map<string, number>()
    const policies = new Map<string, number>()
    for (const limiter of this.#limiters) {
      if (!limiters.has(limiter.name)) limiters.set(limiter.name, limiters.size)
      for (const name of Object.keys(limiter.policies ?? {}))
        policies.set(rowId(limiter.name, name), policies.size)
    }
    const last = Number.MAX_SAFE_INTEGER
    const limiterPlace = (row: Row) => limiters.get(row.limiter) ?? last
    const policyPlace = (row: Row) => policies.get(row.id) ?? last
    return [...rows].sort((a, b) => limiterPlace(a) - limiterPlace(b) || policyPlace(a) - policyPlace(b))
  }
}

/** The subject for one policy's key: for a tree the path, for a limiter its policies by name, all others not applicable. */
export function subjectOf(
  { policies }: Limited,
  policy: string,
  key: Decision['key'],
): Key | { [name: string]: Key | NotApplicable } {
  if (policies === undefined) return key
  return { ...Object.fromEntries(Object.keys(policies).map((name) => [name, notApplicable])), [policy]: key }
}
