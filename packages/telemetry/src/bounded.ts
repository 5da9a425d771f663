/** How many more names may get their own value. */
export interface Room {
  left: number
}

/** The name that all further ones share. */
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
    const kept = this.#room.left > 0 ? name : rest
    const known = this.#known.get(kept)
    if (known !== undefined) return known
    this.#room.left--
    const value = this.#make(kept)
    this.#known.set(kept, value)
    return value
  }
}
