import { hourSeconds } from './row-info.ts'
import { Sums } from './sums.ts'

/** The most groups of a row that are told apart; further ones are added up in one. */
const mostGroups = 20
/** The most that are shown, and the room for all rows together: each takes thirty kilobytes. */
const mostShown = 5
const mostOfAll = 500
const rest = 'other'

/** Room for groups that all rows share. */
export class GroupRoom {
  #left = mostOfAll

  take(): boolean {
    if (this.#left === 0) return false
    this.#left--
    return true
  }

  free(groups: number): void {
    this.#left += groups
  }
}

/** The units of a row by group, such as the kind of request: admitted and refused ones. */
export class Groups {
  readonly #room: GroupRoom
  #sums = new Map<string, Sums>()

  constructor(room: GroupRoom) {
    this.#room = room
  }

  /** The sums of each group, and the units to add to them. A new group has no units up to the last second. */
  of(units: ReadonlyMap<string, Float64Array>, lastSecond: number): ReadonlyMap<Sums, Float64Array> {
    const found = new Map<Sums, Float64Array>()
    for (const [name, each] of units) {
      const sums = this.#named(name, lastSecond)
      if (sums === undefined) continue
      const other = found.get(sums)
      found.set(sums, other === undefined ? each : each.map((value, i) => value + (other[i] ?? 0)))
    }
    for (const sums of this.#sums.values()) if (!found.has(sums)) found.set(sums, none)
    return found
  }

  #named(name: string, lastSecond: number): Sums | undefined {
    const known = this.#sums.get(name)
    if (known !== undefined) return known
    if (name !== rest && this.#sums.size >= mostGroups - 1) return this.#named(rest, lastSecond)
    if (!this.#room.take()) return undefined
    const sums = new Sums(hourSeconds)
    if (lastSecond >= 0) sums.append(lastSecond, 0)
    this.#sums.set(name, sums)
    return sums
  }

  /** The groups to show, those with the most units first, over the seconds that end with the last one. */
  shown(lastSecond: number, seconds: number): readonly (readonly [name: string, units: number])[] {
    return [...this.#sums]
      .map(([name, sums]) => [name, sums.in(lastSecond, seconds)] as const)
      .filter(([, units]) => units > 0)
      .sort(([, a], [, b]) => b - a)
      .slice(0, mostShown)
  }

  forget(): void {
    this.#room.free(this.#sums.size)
    this.#sums = new Map()
  }
}

const none = new Float64Array(0)
