/** Units by second of the last five minutes, and by 12 s of the last hour. */
const seconds = 300
const slotSeconds = 12

/** Units of one key in the last hour: exact over five minutes and less, in whole slots over more. */
export class Recent {
  readonly #bySecond = new Slots(seconds)
  readonly #bySlot = new Slots(3600 / slotSeconds + 1)

  add(second: number, units: number): void {
    this.#bySecond.add(second, units)
    this.#bySlot.add(Math.floor(second / slotSeconds), units)
  }

  /** Units in `span` seconds, of which `last` is the last. */
  in(last: number, span: number): number {
    if (span <= seconds) return this.#bySecond.in(last, span)
    return this.#bySlot.in(Math.floor(last / slotSeconds), span / slotSeconds)
  }
}

/** A ring of the latest slots, which are numbered one after another. */
class Slots {
  readonly #numbers: Float64Array
  readonly #units: Float64Array

  constructor(length: number) {
    this.#numbers = new Float64Array(length)
    this.#units = new Float64Array(length)
  }

  add(number: number, units: number): void {
    const at = number % this.#numbers.length
    this.#units[at] = this.#numbers[at] === number ? (this.#units[at] ?? 0) + units : units
    this.#numbers[at] = number
  }

  in(last: number, count: number): number {
    let sum = 0
    for (const [at, number] of this.#numbers.entries()) {
      if (number <= last && number > last - count) sum += this.#units[at] ?? 0
    }
    return sum
  }
}
