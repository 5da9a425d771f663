import type { Key } from '@sluice/core'

/** Begins a list key of the count that all routes share: no route, handler or group has an empty name. */
const shared = ['']

/**
 * Whose count a request is in. Its names stand before the key, so that no key that a client has written, a list least of all, is
 * counted in another place.
 */
export class Place {
  readonly #names: readonly string[]
  readonly #byWindow: boolean

  private constructor(names: readonly string[], byWindow: boolean) {
    this.#names = names
    this.#byWindow = byWindow
  }

  /** The count of all routes that have none for themselves. */
  static readonly ofAll: Place = new Place([], false)

  /** Of a route or a handler. */
  static of(name: string): Place {
    return new Place([name], false)
  }

  /** Of the routes of a group, those with one window by themselves: a short one must not end the count of a long one. */
  static ofGroup(groupId: string): Place {
    return new Place(['group', groupId], true)
  }

  keyOf(key: Key, windowMs: number): Key {
    const names = this.#names
    if (this.#byWindow) return names.concat(String(windowMs), key as string) // a list is appended member by member
    if (names.length > 0) return names.concat(key as string)
    return Array.isArray(key) && key.length > 1 ? shared.concat(key) : key
  }
}
