import type { CheckOptions } from '@sluice/core'
import type { limiters } from '@sluice/core/internal'
import type { Branch } from './tree.ts'

export type Path = readonly string[]

/** One of several paths that are decided in one step. */
export interface AskedPath {
  readonly path: Path
  /** @default 1 */
  readonly cost?: number | undefined
  /** Whose share of a `fairShare` it is. */
  readonly note?: string | undefined
  /** When the windows of its calendars begin. */
  readonly since?: CheckOptions<string>['since']
}

const noQuotas: ReadonlySet<number> = new Set()

/** Several paths in one question. Keeps what asking it has found in the tree, which may change before the answer comes. */
export class Together {
  readonly asked: readonly AskedPath[]
  /** Where each path ends; undefined: it has met nothing. */
  ends: readonly (Branch | undefined)[] = []
  /** The indexes of paths that refuse only together. */
  quotas: ReadonlySet<number> = noQuotas
  /** The checks of each path, which it may share with other paths. */
  checks: readonly (readonly limiters.LaneCheck[])[] = []

  constructor(asked: readonly AskedPath[]) {
    this.asked = asked
  }
}

/** Adds a check, or its units to the check of the same limit, key and note (a client's share). Returns the check's name in `all`. */
export function joined(all: Map<string, limiters.LaneCheck>, check: limiters.LaneCheck): string {
  const name = `${check.id} ${check.key} ${check.note ?? ''}`
  const known = all.get(name)
  all.set(name, known === undefined ? check : { ...known, cost: known.cost + check.cost })
  return name
}
