/** Lengths of steps. Each is a multiple of the one before, so that steps can be joined. */
const stepsUs = [1, 2, 10, 30, 60, 300, 600, 1800, 3600, 10_800, 21_600, 43_200, 86_400].map((s) => s * 1e6)

export type Column = number[]

interface Kept {
  readonly column: Column
  readonly join: (a: number, b: number) => number
}

export const sum = (a: number, b: number): number => a + b
export const greater: (a: number, b: number) => number = Math.max

/** Columns over one time axis, whose steps become coarser as it gets longer: never more than `most` steps. */
export class Timeline {
  readonly #most: number
  readonly #kept: Kept[] = []
  #stepUs = stepsUs[0] ?? 0
  #first: number | undefined
  #length = 0

  constructor(most: number = 600) {
    this.#most = most
  }

  get stepUs(): number {
    return this.#stepUs
  }

  get fromUs(): number {
    return (this.#first ?? 0) * this.#stepUs
  }

  /** Adds a column; `join` combines two values when two steps become one. */
  column(join: Kept['join']): Column {
    const column: Column = new Array(this.#length).fill(0)
    this.#kept.push({ column, join })
    return column
  }

  /** The index of a time in every column. Times must not decrease. */
  placeOf(atUs: number): number {
    this.#first ??= Math.floor(atUs / this.#stepUs)
    while (this.#stepOf(atUs) >= this.#most) this.#coarsen(this.#first)
    const place = this.#stepOf(atUs)
    while (this.#length <= place) {
      for (const { column } of this.#kept) column.push(0)
      this.#length++
    }
    return place
  }

  #stepOf(atUs: number): number {
    return Math.floor(atUs / this.#stepUs) - (this.#first ?? 0)
  }

  #coarsen(first: number): void {
    const stepUs = stepsUs.find((longer) => longer > this.#stepUs) ?? this.#stepUs * 2
    const times = stepUs / this.#stepUs
    const newFirst = Math.floor(first / times)
    this.#length = this.#length === 0 ? 0 : Math.floor((first + this.#length - 1) / times) - newFirst + 1
    for (const { column, join } of this.#kept) {
      const fine = column.splice(0)
      column.push(...new Array(this.#length).fill(0))
      for (const [i, value] of fine.entries()) {
        const place = Math.floor((first + i) / times) - newFirst
        column[place] = join(column[place] ?? 0, value)
      }
    }
    this.#first = newFirst
    this.#stepUs = stepUs
  }
}
