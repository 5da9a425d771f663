/**
 * The object at which something about a request is kept. Before Node 24, Express gives each request and response a hidden class of its
 * own, and one more property of it costs a kilobyte and microseconds. The list of raw headers belongs to one request too, and is a plain
 * array. `Reflect.get` makes no cache for a class that never comes back.
 */
export function holderOf(request: object): object {
  const rawHeaders: unknown = Reflect.get(request, 'rawHeaders')
  return Array.isArray(rawHeaders) ? rawHeaders : request
}

/** What is kept, and with what. Made by a constructor: decision/lane.ts of core says why. */
class Entry<Of, T> {
  declare readonly of: Of
  declare readonly value: T

  constructor(of: Of, value: T) {
    this.of = of
    this.value = value
  }
}

/** Any object, which may have the marks of `KeptWith`. */
interface Holder<Of, T> {
  readonly [mark: symbol]: Entry<Of, T> | undefined
}

/**
 * What is kept with objects that are made for each request, such as responses. Not a WeakMap: what lies in one lives until V8 collects
 * its old objects too, and with it the response and the request to which it leads, several kilobytes each.
 */
export class KeptWith<Of extends object, T> {
  readonly #mark = Symbol()
  /** With objects that take no property, such as frozen ones: nobody freezes each request. */
  #frozen: WeakMap<Of, T> | undefined

  get(of: Of): T | undefined {
    return this.#holderOf(of)[this.#mark]?.value ?? this.#frozen?.get(of)
  }

  set(of: Of, value: T): void {
    if (Reflect.set(this.#holderOf(of), this.#mark, new Entry(of, value))) return
    this.#frozen ??= new WeakMap()
    this.#frozen.set(of, value)
  }

  delete(of: Of): void {
    Reflect.set(this.#holderOf(of), this.#mark, undefined)
    this.#frozen?.delete(of)
  }

  /** A request may have two responses, as where express-ws makes another one: what is kept with the second is kept at itself. */
  #holderOf(of: Of): Holder<Of, T> {
    const request: unknown = Reflect.get(of, 'req')
    const holder = typeof request === 'object' && request !== null ? holderOf(request) : of
    const shared = holder as Holder<Of, T>
    const first = shared[this.#mark]?.of ?? of
    return first === of && !Reflect.has(of, this.#mark) ? shared : (of as Holder<Of, T>)
  }
}
