import type { Policy } from '@sluice/core'
import { definitions, partsOf, pictures } from '@sluice/core/internal'
import { Edges } from './edges.ts'
import { type GroupRoom, Groups } from './groups.ts'
import { Peaks } from './peaks.ts'
import { type Drawn, drawnOf, hourSeconds } from './row-info.ts'
import { Sums } from './sums.ts'
import type { RowInfo } from './wire.ts'

/** A policy that changes this often is assumed to be chosen per request. */
const maxRules = 4

/** One policy of one limiter, with the units of the last hour. */
export class Row {
  readonly limiter: string
  readonly policy: string
  #rule: Policy | undefined
  #rules = 0
  #drawn: Drawn
  #manyKeys = false
  admitted: Sums
  refused: Sums
  readonly groups: Groups
  #edges: Edges | undefined
  /** Peaks of the number in flight, or of what the fullest key had used. */
  #peaks: Peaks | undefined

  constructor(names: { limiter: string; policy: string }, given: Policy | undefined, room: GroupRoom) {
    const { limiter, policy } = names
    const rule = given && (partsOf(given).changing?.now ?? given)
    this.limiter = limiter
    this.policy = policy
    this.#rule = rule
    this.#drawn = drawnOf(limiter, policy, rule)
    this.admitted = this.#sums()
    this.refused = this.#sums()
    this.groups = new Groups(room)
  }

  get id(): string {
    return this.#drawn.id
  }

  get info(): RowInfo {
    const limit = this.#manyKeys ? this.#keyLimit : this.#drawn.limit
    return { ...this.#drawn, limit: this.#rules >= maxRules ? null : limit, manyKeys: this.#manyKeys }
  }

  /** What one key may use; null for an unknown policy. */
  get #keyLimit(): number | null {
    return this.#rule?.limit ?? null
  }

  /** Sets the row's policy; returns whether that is a change. */
  draw(given: Policy): boolean {
    const { changing } = partsOf(given)
    const rule = changing?.now ?? given
    if (rule === this.#rule || this.#rules >= maxRules) return false
    if (changing === undefined) this.#rules++
    this.#rule = rule
    this.#drawn = drawnOf(this.limiter, this.policy, rule)
    this.#edges = undefined
    return true
  }

  get windowSeconds(): number {
    return this.#drawn.windowSeconds
  }

  /** The window that the policy's limit applies to. */
  get windowMs(): number | null {
    return this.#rule?.windowMs ?? null
  }

  /** For how long from now past use of a key matters; 0 for an unknown policy. */
  horizonMs(nowMs: number): number {
    if (this.#rule === undefined) return 0
    const { calendar } = partsOf(this.#rule)
    if (calendar === undefined) return definitions.horizonUs(this.#rule) / 1000
    return calendar.windowAt(nowMs * 1000).endUs / 1000 - nowMs
  }

  get shade(): RowInfo['shade'] {
    return this.#drawn.shade
  }

  /** Notes that the row has more than one key; returns whether that is a change. */
  sawManyKeys(): boolean {
    if (this.#manyKeys) return false
    this.#manyKeys = true
    return true
  }

  /** Notes the end of a fixed window. */
  sawEdge(endSecond: number): void {
    this.#edges ??= new Edges(this.windowSeconds)
    this.#edges.see(endSecond)
  }

  edgesSince(fromSecond: number): readonly number[] {
    return this.#manyKeys ? [] : (this.#edges?.since(fromSecond) ?? [])
  }

  /** Notes how many were in flight in a second. */
  sawInFlight(second: number, units: number): void {
    this.#peaks ??= new Peaks()
    this.#peaks.see(second, units)
  }

  /** Notes what a key had used in a second, as a part of the row's limit: keys may have different limits. */
  sawKey(second: number, used: number, limit: number): void {
    this.#peaks ??= new Peaks()
    const rowLimit = this.#keyLimit ?? limit
    this.#peaks.see(second, limit === rowLimit ? used : Math.round((used * rowLimit) / limit))
  }

  get empty(): boolean {
    return this.admitted.empty && this.refused.empty
  }

  /** Whether the hour that ends with a second has no unit. */
  isSilent(second: number): boolean {
    return this.admitted.in(second, hourSeconds) === 0 && this.refused.in(second, hourSeconds) === 0
  }

  /** Clears all units up to this second. */
  begin(second: number): void {
    this.admitted = this.#sums()
    this.refused = this.#sums()
    this.groups.forget()
    if (second < 0) return
    this.admitted.append(second, 0)
    this.refused.append(second, 0)
  }

  /** What no window of the policy ever exceeds while the store answers; null where it promises no such number. */
  get promised(): number | null {
    const rule = this.#manyKeys || this.#rules >= maxRules ? undefined : this.#rule
    return rule !== undefined && pictures.pictureOf(rule).exact === true ? this.#drawn.limit : null
  }

  /** Whether more than `units` were admitted within one window, wherever in its second each of them was. */
  surelyExceeds(units: number, from: number, to: number): boolean {
    return this.windowSeconds > 1 && this.admitted.most(from, to, this.windowSeconds - 1) > units
  }

  /**
   * The maximum of the upper lane between two seconds, both included: of the number in flight, of what the fullest of many keys had
   * used, or of the units admitted in the windows that end with them.
   */
  most(from: number, to: number): number {
    if (this.shade !== 'in-flight' && !this.#manyKeys) return this.admitted.most(from, to, this.windowSeconds)
    return this.#peaks?.most(from, to) ?? 0
  }

  /** Sums for the longest span that is shown, and for the window before its first second. */
  #sums(): Sums {
    return new Sums(hourSeconds + this.windowSeconds)
  }
}
