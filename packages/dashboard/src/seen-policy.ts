import type { Key } from '@sluice/core'
import type { NearKey } from './near-key.ts'
import type { Row } from './row.ts'

/** What decisions have shown of one policy. */
export class SeenPolicy {
  readonly row: Row
  /** Tracked keys by name. */
  readonly near: Map<string, NearKey> = new Map()
  /** The limit of the last verdict. */
  limit: number = Number.NaN
  firstKey: Key | undefined
  manyKeys = false

  constructor(row: Row) {
    this.row = row
  }
}
