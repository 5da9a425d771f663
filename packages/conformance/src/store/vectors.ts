import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Row } from '@sluice/core'

/** What a case of a vector file does, one step a row; a step that is no question has no answer. */
export interface VectorStep {
  readonly atUs: number
  /**
   * check, peek, penalize, raise, block, unblock, reset; `reserve US`: with so much patience; `settle N`: the N-th row's; `held N`,
   * `regained N`, `lost N`: what comes of renewing it; `use`: another of the case's policies.
   */
  readonly operation: string
  /** Units, µs, or which policy. */
  readonly amount: number
  /** How long the key goes on living after the step; null where there is none. */
  readonly lifeUs: number | null
  readonly answer:
    | Pick<Row, 'allowed' | 'reason' | 'limit' | 'remaining' | 'retryAfterUs' | 'resetAfterUs' | 'waitUs'>
    | undefined
}

export interface VectorCase {
  readonly title: string
  /** Options of the strategy's constructor; the first is in use until a step says otherwise. */
  readonly policies: readonly { readonly [option: string]: unknown }[]
  readonly steps: readonly VectorStep[]
}

/** The last one, a wait, only where there is one. */
type Answer = [Row['allowed'], Row['reason'], number, number, number, number, number?]

/** A vector file as it is written: its first line names the columns. */
interface VectorFile {
  readonly cases: readonly {
    readonly title: string
    readonly policies: VectorCase['policies']
    readonly rows: readonly (readonly [number, string, number, (number | null)?, ...Partial<Answer>])[]
  }[]
}

const folder = path.join(import.meta.dirname, '../../vectors')

/** The strategies that have vectors. */
export const vectorNames: readonly string[] = readdirSync(folder)
  .map((file) => path.basename(file, '.json'))
  .sort()

export function readVectorFile(strategy: string): unknown {
  return JSON.parse(readFileSync(path.join(folder, `${strategy}.json`), 'utf8'))
}

export function readVectors(strategy: string): readonly VectorCase[] {
  const { cases } = readVectorFile(strategy) as VectorFile // every row is compared with what a store answers
  return cases.map(({ title, policies, rows }) => ({ title, policies, steps: rows.map(stepOf) }))
}

function stepOf([
  atUs,
  operation,
  amount,
  lifeUs = null,
  ...answer
]: VectorFile['cases'][number]['rows'][number]): VectorStep {
  const [allowed, reason = null, limit = 0, remaining = 0, retryAfterUs = 0, resetAfterUs = 0, waitUs = 0] =
    answer
  const row =
    allowed === undefined
      ? undefined
      : { allowed, reason, limit, remaining, retryAfterUs, resetAfterUs, waitUs }
  return { atUs, operation, amount, lifeUs, answer: row }
}
