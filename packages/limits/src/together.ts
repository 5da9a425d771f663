import type { CheckOptions } from '@sluice/core'
import type { limiters } from '@sluice/core/internal'
import type { Branch } from './tree.ts'

export type Path = readonly string[]

/** A path of several that are decided in one step. */
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

/** Several paths in one question. What was found out when it was asked stays here, as the tree may change until the answer comes. */
export class Together {
  readonly asked: readonly AskedPath[]
  /** For each path where it ends; undefined: it has met nothing. */
  ends: readonly (Branch | undefined)[] = []
  /** Which of them refuse only together. */
  quotas: ReadonlySet<number> = noQuotas
  /** For each path its checks, which it may share with others. */
  checks: readonly (readonly limiters.LaneCheck[])[] = []

  constructor(asked: readonly AskedPath[]) {
    this.asked = asked
  }
}

/** Adds a check, or its units to those of the same limit and key; its name among all. Clients with a share each have a check each. */
export function joined(all: Map<string, limiters.LaneCheck>, check: limiters.LaneCheck): string {
  const name = `${check.id} ${check.key} ${check.note ?? ''}`
  const known = all.get(name)
  all.set(name, known === undefined ? check : { ...known, cost: known.cost + check.cost })
  return name
}
