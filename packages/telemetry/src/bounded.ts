/** How many names may still be told apart. */
export interface Room {
  left: number
}

/** Where names are folded that there is no room for. */
const rest = 'other'

/** A value for each name that comes, while there is room: limiters and policies can be made at any time. */
export class Bounded<T> {
  readonly #known = new Map<string, T>()
  readonly #room: Room
  readonly #make: (name: string) => T

  constructor(room: Room, make: (name: string) => T) {
    this.#room = room
    this.#make = make
  }

  of(name: string): T {
    return this.#known.get(name) ?? this.#add(name)
  }

  entries(): IterableIterator<[string, T]> {
    return this.#known.entries()
  }

  #add(name: string): T {
    const kept = this.#room.left > 0 ? name : rest
    const known = this.#known.get(kept)
    if (known !== undefined) return known
    this.#room.left--
    const value = this.#make(kept)
    this.#known.set(kept, value)
    return value
  }
}
