import type { Policy, StoreRow } from '@sluice/core'
import { policyFrom } from '@sluice/core/strategies'
import { vectorFiles } from './vectors.generated.ts'

/** What a case of a vector file does, one step a row; a step that is no question has no answer. */
export interface VectorStep {
  readonly atUs: number
  /**
   * check, peek, penalize, or the same with a note, as in `check amy`; reward, set, raise, block, unblock, reset; `reserve US`: with so much patience; `settle N`: the N-th row's; `held N`,
   * `regained N`, `lost N`: what comes of renewing it; `use`: another of the case's policies.
   */
  readonly operation: string
  /** Units, µs, or which policy. */
  readonly amount: number
  /** How long the key goes on living after the step; null where there is none. */
  readonly lifeUs: number | null
  readonly answer:
    | Pick<
        StoreRow,
        'allowed' | 'reason' | 'limit' | 'remaining' | 'retryAfterUs' | 'resetAfterUs' | 'waitUs'
      >
    | undefined
}

export interface VectorCase {
  readonly title: string
  /** The first is in use until a step says otherwise. */
  readonly policies: readonly Policy[]
  readonly steps: readonly VectorStep[]
}

/**
 * One step: its instant in µs from the case's start, the operation, its amount; for a question what is answered, with 0 for all
 * that is not there, and a wait only where there is one. The fourth is how long the key goes on living, null where there is none.
 */
export type VectorRow = readonly [
  atUs: number,
  operation: string,
  amount: number,
  lifeUs?: number | null,
  allowed?: boolean,
  reason?: StoreRow['reason'],
  limit?: number,
  remaining?: number,
  retryAfterUs?: number,
  resetAfterUs?: number,
  waitUs?: number,
]

/** A case as it is written. */
export interface Vector<Options extends object = { readonly [option: string]: unknown }> {
  readonly title: string
  /** Options of the strategy's constructor; the first is in use until a step says otherwise. */
  readonly policies: readonly Options[]
  readonly rows: readonly VectorRow[]
}

/** The strategies that have vectors. */
export const vectorNames: readonly string[] = Object.keys(vectorFiles).sort()

export function readVectorFile(strategy: string): unknown {
  return vectorFiles[strategy]
}

export function readVectors(strategy: string): readonly VectorCase[] {
  const { cases } = readVectorFile(strategy) as { readonly cases: readonly Vector[] } // every row is compared with what a store answers
  return cases.map(({ title, policies, rows }) => {
    const made = policies.map((options) => policyFrom({ strategy, ...options }))
    return { title, policies: made, steps: rows.map(stepOf) }
  })
}

export function stepOf([atUs, operation, amount, lifeUs = null, ...answer]: VectorRow): VectorStep {
  const [allowed, reason = null, limit = 0, remaining = 0, retryAfterUs = 0, resetAfterUs = 0, waitUs = 0] =
    answer
  const row =
    allowed === undefined
      ? undefined
      : { allowed, reason, limit, remaining, retryAfterUs, resetAfterUs, waitUs }
  return { atUs, operation, amount, lifeUs, answer: row }
}
