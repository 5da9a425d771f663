import type { Policy } from '@sluice/core'
import { GroupRoom } from './groups.ts'
import { Row } from './row.ts'
import { hourSeconds, rowId } from './row-info.ts'
import { Sums } from './sums.ts'
import type { RowUnits, Tally } from './tally.ts'

/** The most rows, as a row with units takes up to a hundred kilobytes; all further policies are added up in one more. */
const maxRowsKept = 2000
/** The most policies without a row of their own that are told apart. */
const maxTold = 50_000
const rest = { limiter: 'other', policy: '' }

/** The last hour: the units of each row, and of all requests. */
export class Board {
  readonly #rows = new Map<string, Row>()
  readonly #room = new GroupRoom()
  /** Policies without a row of their own. */
  readonly #cut = new Set<string>()
  admitted: Sums = new Sums(hourSeconds)
  refused: Sums = new Sums(hourSeconds)
  local: Sums = new Sums(hourSeconds)
  /** The seconds that are known, both ends included. */
  firstSecond = 0
  lastSecond = -1
  /** Counts rows that joined or changed. */
  version = 0
  /** Whether anything has been decided. */
  decided = false
  /** Counts how often all units were dropped. */
  epoch = 0
  /** Whether a row's window has changed, so that everything must be read again. */
  outdated = false

  get empty(): boolean {
    return this.lastSecond < 0
  }

  get rows(): Iterable<Row> {
    return this.#rows.values()
  }

  get count(): number {
    return this.#rows.size
  }

  /** How many policies have no row of their own. */
  get cut(): number {
    return this.#cut.size
  }

  /** The time until every key of every policy has its full limit available again. */
  horizonMs(nowMs: number): number {
    let longestMs = 0
    for (const row of this.#rows.values()) longestMs = Math.max(longestMs, row.horizonMs(nowMs))
    return longestMs
  }

  find(id: string): Row | undefined {
    return this.#rows.get(id)
  }

  /** The row of a policy, created if it is new; the common row if there are too many. */
  row(limiter: string, policy: string, rule?: Policy): Row {
    const id = rowId(limiter, policy)
    const known = this.#rows.get(id)
    if (known !== undefined) return known
    if (this.#rows.size >= maxRowsKept && !isRest(limiter, policy)) return this.#cutOff(id)
    const row = new Row({ limiter, policy }, rule, this.#room)
    row.begin(this.lastSecond)
    this.#rows.set(row.id, row)
    this.version++
    return row
  }

  #cutOff(id: string): Row {
    if (this.#cut.size < maxTold && !this.#cut.has(id)) {
      this.#cut.add(id)
      this.version++
    }
    return this.row(rest.limiter, rest.policy)
  }

  /** Sets a row's policy. */
  draw(limiter: string, policy: string, rule: Policy): void {
    const row = this.row(limiter, policy, rule)
    if (row.limiter !== limiter || row.policy !== policy) return
    const before = row.windowSeconds
    if (!row.draw(rule)) return
    this.version++
    if (row.windowSeconds === before) return
    if (row.empty) row.begin(this.lastSecond)
    else this.outdated = true
  }

  /** Notes that rows have changed. */
  changed(): void {
    this.version++
  }

  /** Removes empty rows, except those to keep; returns the removed ones. */
  prune(stays: (row: Row) => boolean): readonly Row[] {
    const gone = [...this.#rows.values()].filter((row) => !stays(row) && row.isSilent(this.lastSecond))
    for (const row of gone) {
      this.#rows.delete(row.id)
      row.groups.forget()
    }
    if (gone.length > 0) this.changed()
    return gone
  }

  /**
   * Adds the next seconds, and corrects earlier ones. Returns the first that changed. `keeping`: no number becomes smaller, as a store
   * that was away may have come back empty.
   */
  append(tally: Tally, keeping = false): number {
    if (this.empty) this.firstSecond = tally.fromSecond
    let changed = this.empty ? tally.fromSecond : this.lastSecond + 1
    const kept = keeping ? Math.max(0, Math.min(tally.seconds, this.lastSecond + 1 - tally.fromSecond)) : 0
    this.#write(tally, (sums, units) => {
      const before = Array.from({ length: kept }, (_, i) => sums.in(tally.fromSecond + i, 1))
      for (let i = 0; i < tally.seconds; i++) {
        const second = tally.fromSecond + i
        const now = Math.max(units?.[i] ?? 0, before[i] ?? Number.NEGATIVE_INFINITY)
        if (second < changed && sums.in(second, 1) !== now) changed = second
        sums.append(second, now)
      }
    })
    this.lastSecond = Math.max(this.lastSecond, tally.fromSecond + tally.seconds - 1)
    return changed
  }

  /** Adds the seconds right before the known ones. */
  prepend(tally: Tally): void {
    this.#write(tally, (sums, units) => {
      for (let i = tally.seconds - 1; i >= 0; i--) sums.prepend(tally.fromSecond + i, units?.[i] ?? 0)
    })
    this.firstSecond = tally.fromSecond
  }

  /** Drops all units, and keeps the rows. */
  forget(): void {
    this.admitted = new Sums(hourSeconds)
    this.refused = new Sums(hourSeconds)
    this.local = new Sums(hourSeconds)
    this.firstSecond = 0
    this.lastSecond = -1
    this.outdated = false
    this.epoch++
    for (const row of this.#rows.values()) row.begin(-1)
  }

  #write(tally: Tally, each: (sums: Sums, units: Float64Array | undefined) => void): void {
    const units = this.#unitsByRow(tally)
    each(this.admitted, tally.admitted)
    each(this.refused, tally.refused)
    each(this.local, tally.local)
    for (const row of this.#rows.values()) {
      const own = units.get(row)
      each(row.admitted, own?.admitted)
      each(row.refused, own?.refused)
      for (const [sums, group] of row.groups.of(own?.groups ?? none, this.lastSecond)) each(sums, group)
    }
    if (tally.rows.length > 0) this.#sawDecision()
  }

  /** Notes the first decision: from then on there is something to show. */
  #sawDecision(): void {
    if (this.decided) return
    this.decided = true
    this.version++
  }

  #unitsByRow(tally: Tally): Map<Row, RowUnits> {
    const found = new Map<Row, RowUnits>()
    for (const units of tally.rows) {
      const row = this.row(units.limiter, units.policy)
      const other = found.get(row)
      if (other === undefined) found.set(row, units)
      else addTo(other, units)
    }
    return found
  }
}

/** The groups of a row that has none. */
const none: RowUnits['groups'] = new Map()

function isRest(limiter: string, policy: string): boolean {
  return limiter === rest.limiter && policy === rest.policy
}

function addTo(sum: RowUnits, more: RowUnits): void {
  for (const [i, units] of more.admitted.entries()) sum.admitted[i] = (sum.admitted[i] ?? 0) + units
  for (const [i, units] of more.refused.entries()) sum.refused[i] = (sum.refused[i] ?? 0) + units
}
