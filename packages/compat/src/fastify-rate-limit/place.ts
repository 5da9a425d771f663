import type { Key } from '@sluice/core'

/** Begins a list key of the count that all routes share: no route, handler or group has an empty name. */
const shared = ['']

/**
 * The count that a request belongs to: that of all routes, or of a route, handler or group. Its names stand before the key, so that no
 * key that a client has written, such as a list, is counted in another place.
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

  /** The count of a route or a handler. */
  static of(name: string): Place {
    return new Place([name], false)
  }

  /** The count of those routes of a group that have the same window: a short window must not end the count of a long one. */
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
