/** A call on keys. */
export interface Turn {
  /** Its keys, spelled as one name. */
  readonly name: string
  /** Who waits for it; done when it no longer does. Left out: it waits for as long as the call takes. */
  readonly caller: { readonly done: boolean } | undefined
}

/** So many go together at most: what they compute holds up this process, and their keys. */
const mostTogether = 128

/**
 * Of the same keys one group of calls is under way at once. Those that come meanwhile wait, and go together once it is over, in the
 * order in which they came. Calls of other keys never wait for them.
 */
export class Turns<T extends Turn> {
  readonly #run: (together: readonly T[]) => Promise<void>
  /** By name, where a group is under way: those that wait for its end. */
  readonly #waiting = new Map<string, T[]>()

  /** `run` never rejects. */
  constructor(run: (together: readonly T[]) => Promise<void>) {
    this.#run = run
  }

  add(call: T): void {
    const waiting = this.#waiting.get(call.name)
    if (waiting !== undefined) {
      waiting.push(call)
      return
    }
    this.#waiting.set(call.name, [])
    this.#go(call.name, [call])
  }

  #go(name: string, together: readonly T[]): void {
    void this.#run(together).then(() => this.#next(name))
  }

  #next(name: string): void {
    const waiting = this.#waiting.get(name)?.filter(isWaitedFor) ?? []
    if (waiting.length === 0) {
      this.#waiting.delete(name)
      return
    }
    const together = waiting.splice(0, mostTogether)
    this.#waiting.set(name, waiting)
    this.#go(name, together)
  }
}

export function isWaitedFor({ caller }: Turn): boolean {
  return caller?.done !== true
}
