import { randomBytes } from 'node:crypto'
import type { Inspection, Key, Verdict } from '@sluice/core'
import { Recent } from './recent.ts'
import type { Row } from './row.ts'

/** A key that is nearly full or refused, as of its last decision. Times are monotonic milliseconds. */
export class NearKey {
  readonly row: Row
  readonly policy: string
  readonly key: Key
  #id: string | undefined
  #used = 0
  #limit = 0
  #cost = 1
  #againAtMs: number | null = null
  #blockedUntilMs: number | null = null
  /** The key would be refused until this time. */
  #fullUntilMs = 0
  #untilMs = 0
  #refused: Recent | undefined

  constructor(row: Row, policy: string, key: Key) {
    this.row = row
    this.policy = policy
    this.key = key
  }

  /** Reveals nothing about the key, and cannot be guessed. */
  get id(): string {
    this.#id ??= randomBytes(12).toString('base64url')
    return this.#id
  }

  see(verdict: Verdict, nowMs: number): void {
    const { allowed, limit, remaining, resetAfterMs } = verdict
    this.#used = Math.max(0, limit - remaining)
    this.#limit = limit
    this.#cost = verdict.cost || 1
    const waitMs = allowed ? this.#freeInMs(verdict) : verdict.retryAfterMs
    this.#againAtMs = waitMs === null ? null : nowMs + waitMs
    this.#blockedUntilMs = isBlocked(verdict) ? this.#againAtMs : null
    this.#untilMs = nowMs + Math.max(waitMs ?? 0, resetAfterMs)
    this.#fullUntilMs = this.#againAtMs ?? (remaining <= 0 ? this.#untilMs : 0)
  }

  /** The result of an inspection, which also knows of blocks. */
  inspected(seen: Inspection, nowMs: number): void {
    this.see(seen, nowMs)
    if (seen.blockedMs === null) return
    this.#blockedUntilMs = nowMs + seen.blockedMs
    this.#againAtMs = Math.max(this.#againAtMs ?? 0, this.#blockedUntilMs)
    this.#fullUntilMs = this.#againAtMs
    this.#untilMs = Math.max(this.#untilMs, this.#againAtMs)
  }

  refuse(second: number, units: number): void {
    this.#refused ??= new Recent()
    this.#refused.add(second, units)
  }

  refusedIn(lastSecond: number, span: number): number {
    return this.#refused?.in(lastSecond, span) ?? 0
  }

  /** Whether the key has recovered, so that there is nothing to show. */
  isOver(nowMs: number): boolean {
    if (nowMs >= this.#untilMs) return true
    return this.blockedMs(nowMs) === null && this.usedAt(nowMs) * 5 < this.#limit * 4
  }

  /** Whether it would be refused now, or is blocked. */
  isAtLimit(nowMs: number): boolean {
    return nowMs < this.#fullUntilMs
  }

  get limit(): number {
    return this.#limit
  }

  /** What the key has used. Once it may pass again, there is room for the cost that was refused. */
  usedAt(nowMs: number): number {
    if (this.#againAtMs === null || nowMs < this.#againAtMs) return this.#used
    return Math.max(0, Math.min(this.#used, this.#limit - this.#cost))
  }

  againInMs(nowMs: number): number | null {
    return left(this.#againAtMs, nowMs)
  }

  blockedMs(nowMs: number): number | null {
    return left(this.#blockedUntilMs, nowMs)
  }

  /** Time until a full key has room for one unit again, if its verdict says so; null if it has room. */
  #freeInMs({ remaining, limit, resetAfterMs }: Verdict): number | null {
    if (remaining > 0) return null
    const { shade, windowMs } = this.row
    if (shade === 'fixed') return resetAfterMs
    if (shade !== 'none' || windowMs === null) return null
    // At a rate, units become free one after another.
    return Math.max(0, Math.ceil(resetAfterMs - ((limit - 1) * windowMs) / limit))
  }
}

function left(untilMs: number | null, nowMs: number): number | null {
  return untilMs === null || untilMs <= nowMs ? null : Math.ceil(untilMs - nowMs)
}

function isBlocked({ reason }: Verdict): boolean {
  return reason === 'blocked' || reason === 'banned'
}
