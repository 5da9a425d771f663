import type { Key } from '../key.ts'
import type { Reason, StoreRow } from '../store.ts'
import { msUp } from '../units.ts'
import type { LaneCheck } from './lane.ts'

/** Whose key a row is about. */
export interface AskedKey {
  readonly lane: { readonly name: string }
  /** The key as the caller gave it. */
  readonly asked: Key
  readonly cost: number
}

/** What a row says, in the terms of callers: what verdicts and decisions have in common. */
export class VerdictFields {
  readonly allowed: boolean
  readonly policy: string
  readonly key: Key
  readonly cost: number
  readonly limit: number
  readonly remaining: number
  readonly resetAfterMs: number
  readonly reason: Reason | null
  readonly retryAfterMs: number | null

  constructor(check: AskedKey, row: StoreRow) {
    const { reason, retryAfterUs } = row
    this.allowed = reason === null
    this.policy = check.lane.name
    this.key = check.asked
    this.cost = check.cost
    this.limit = row.limit
    this.remaining = row.remaining
    this.resetAfterMs = msUp(row.resetAfterUs)
    this.reason = reason
    this.retryAfterMs = reason === null || retryAfterUs < 0 ? null : msUp(retryAfterUs)
  }
}

/** One policy's verdict, with the check and the row behind it: all that header fields and problem details need. */
export class PolicyVerdict extends VerdictFields {
  readonly #check: LaneCheck
  readonly #row: StoreRow

  constructor(check: LaneCheck, row: StoreRow) {
    super(check, row)
    this.#check = check
    this.#row = row
  }

  get check(): LaneCheck {
    return this.#check
  }

  get row(): StoreRow {
    return this.#row
  }

  /** Its numbers may be shown to a client: no shadow policy's, and only where a count is behind them. */
  get shown(): boolean {
    return isShown(this.#check, this.#row)
  }
}

export function isShown(check: LaneCheck, row: StoreRow): boolean {
  return !check.shadow && row.uncounted !== true
}
