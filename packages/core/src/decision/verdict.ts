import type { Key } from '../key.ts'
import type { Policy } from '../policy.ts'
import type { Reason, StoreRow } from '../store.ts'
import { scaleOf } from '../strategies/policy-parts.ts'
import { msUp } from '../units.ts'
import { isShown, type LaneCheck } from './lane.ts'

/** The policy, key and cost that a row is about. */
export interface AskedKey {
  readonly lane: { readonly name: string }
  /** The key as the caller gave it. */
  readonly asked: Key
  readonly cost: number
  /** @default one that counts whole amounts */
  readonly policy?: Policy
}

/**
 * What a row says, in the terms of callers: what verdicts and decisions have in common. The fields are only declared, as V8 would
 * set each of them twice otherwise.
 */
export class VerdictFields {
  declare readonly allowed: boolean
  declare readonly policy: string
  declare readonly key: Key
  declare readonly cost: number
  declare readonly limit: number
  declare readonly remaining: number
  declare readonly resetAfterMs: number
  declare readonly reason: Reason | null
  declare readonly retryAfterMs: number | null

  constructor(check: AskedKey, row: StoreRow) {
    const { reason, retryAfterUs } = row
    const scale = scaleOf(check)
    this.allowed = reason === null
    this.policy = check.lane.name
    this.key = check.asked
    this.cost = scale === 1 ? check.cost : check.cost / scale
    this.limit = scale === 1 ? row.limit : row.limit / scale
    this.remaining = scale === 1 ? row.remaining : row.remaining / scale
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

  get windowMs(): number | null {
    return this.#check.policy.windowMs
  }

  get shown(): boolean {
    return isShown(this.#check, this.#row)
  }
}
