/** How many more names may get their own value. */
export class Room {
  #left: number
  readonly #full: () => void

  /** `full` is called when a name finds no room. */
  constructor(names: number, full: () => void = () => {}) {
    this.#left = names
    this.#full = full
  }

  /** Uses room for one more name. Returns whether there was any. */
  take(): boolean {
    if (this.#left > 0) {
      this.#left--
      return true
    }
    this.#full()
    return false
  }
}

/** The name that all names without room share. */
const rest = 'other'

/** A value per name, while there is room: limiters and policies can be created at any time. */
export class Bounded<T> {
  readonly #known = new Map<string, T>()
  readonly #room: Room
  readonly #make: (name: string) => T

  constructor(room: Room, make: (name: string) => T) {
    this.#room = room
    this.#make = make
  }

  get empty(): boolean {
    return this.#known.size === 0
  }

  of(name: string): T {
    return this.#known.get(name) ?? this.#add(name)
  }

  entries(): IterableIterator<[string, T]> {
    return this.#known.entries()
  }

  #add(name: string): T {
    const kept = this.#room.take() ? name : rest
    const known = this.#known.get(kept)
    if (known !== undefined) return known
    const value = this.#make(kept)
    this.#known.set(kept, value)
    return value
  }
}
