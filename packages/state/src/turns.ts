/** A call on keys. */
export interface Turn {
  /** Each key once. */
  readonly keys: readonly string[]
  /** The keys, spelled as one text. */
  readonly name: string
  /** The caller that waits for it; `done` once it no longer does. Left out: it waits for as long as the call takes. */
  readonly caller: { readonly done?: boolean | undefined } | undefined
}

/** The most calls in one group: computing them holds up this process, and other processes that need their keys. */
const mostTogether = 128
/**
 * The most groups of one line that are under way at once. Calls of many clients may share the key of a resource: with one group, a
 * client whose own key is locked by another process would hold up all the others.
 */
const mostUnderWay = 2
/**
 * A group that takes longer, as over a connection that died silently, no longer holds up other calls. Far more than a deadline: a
 * database that is only slow must not get ever more transactions on one key.
 */
const longestMs = 10_000

/** Calls that are run together. */
interface Group<T> {
  readonly calls: readonly T[]
  readonly sinceMs: number
}

/** Calls that share keys, directly or by way of other calls. */
interface Line<T> {
  /** The calls that wait, in the order in which they came. */
  waiting: T[]
  /** The groups that are under way, without those that take too long. */
  readonly underWay: Set<Group<T>>
  /** The names of the calls in those groups. */
  readonly names: Set<string>
  /** How many calls have each key, waiting or under way. */
  readonly calls: Map<string, number>
}

/**
 * Runs calls in groups. Only one group with the same set of keys is under way at once, and only a few groups that share a key. Calls
 * that come meanwhile wait, and go together in the order in which they came. Calls that share no key never wait for each other.
 */
export class Turns<T extends Turn> {
  readonly #run: (together: readonly T[]) => Promise<void>
  readonly #nowMs: () => number
  /** The line of each key. */
  readonly #lines = new Map<string, Line<T>>()

  /** `run` never rejects. */
  constructor(run: (together: readonly T[]) => Promise<void>, nowMs: () => number = () => performance.now()) {
    this.#run = run
    this.#nowMs = nowMs
  }

  add(call: T): void {
    const line = this.#lineOf(call)
    for (const key of call.keys) {
      this.#lines.set(key, line)
      line.calls.set(key, (line.calls.get(key) ?? 0) + 1)
    }
    if (line.underWay.size < mostUnderWay && !line.names.has(call.name)) {
      this.#go([call], line)
      return
    }
    line.waiting.push(call)
    if (this.#givesUp(line)) this.#goOn(line)
  }

  /** The line of the calls that share a key with this one. Several such lines become one. */
  #lineOf({ keys }: T): Line<T> {
    let line: Line<T> | undefined
    for (const key of keys) {
      const other = this.#lines.get(key)
      if (other === undefined || other === line) continue
      line = line === undefined ? other : this.#joined(line, other)
    }
    return line ?? { waiting: [], underWay: new Set(), names: new Set(), calls: new Map() }
  }

  #joined(line: Line<T>, other: Line<T>): Line<T> {
    const [to, from] = line.calls.size < other.calls.size ? [other, line] : [line, other]
    to.waiting.push(...from.waiting)
    for (const group of from.underWay) to.underWay.add(group)
    for (const name of from.names) to.names.add(name)
    for (const [key, count] of from.calls) {
      to.calls.set(key, count)
      this.#lines.set(key, to)
    }
    return to
  }

  #go(calls: readonly T[], line: Line<T>): void {
    const group = { calls, sinceMs: this.#nowMs() }
    line.underWay.add(group)
    for (const { name } of calls) line.names.add(name)
    void this.#run(calls).then(() => this.#over(group))
  }

  #over(group: Group<T>): void {
    const line = this.#lines.get(group.calls[0]?.keys[0] ?? '')
    // A group that was given up has left its line.
    if (line?.underWay.has(group) !== true) return
    this.#leave(group, line)
    this.#goOn(line)
  }

  #goOn(line: Line<T>): void {
    if (line.underWay.size >= mostUnderWay) return
    const next = this.#next(line)
    if (next.length > 0) this.#go(next, line)
  }

  /** Removes groups that take too long, so that they no longer hold up others. Returns whether there were any. */
  #givesUp(line: Line<T>): boolean {
    const beforeMs = this.#nowMs() - longestMs
    const hanging = [...line.underWay].filter(({ sinceMs }) => sinceMs < beforeMs)
    for (const group of hanging) this.#leave(group, line)
    return hanging.length > 0
  }

  #leave(group: Group<T>, line: Line<T>): void {
    line.underWay.delete(group)
    for (const { name } of group.calls) line.names.delete(name)
    this.#forget(group.calls, line)
  }

  /** Takes the first waiting calls whose set of keys is not under way. */
  #next(line: Line<T>): readonly T[] {
    const next: T[] = []
    const gone: T[] = []
    const rest: T[] = []
    for (const call of line.waiting) {
      if (!isWaitedFor(call)) gone.push(call)
      else if (next.length < mostTogether && !line.names.has(call.name)) next.push(call)
      else rest.push(call)
    }
    line.waiting = rest
    this.#forget(gone, line)
    return next
  }

  /** Removes keys from the line that no other call has. */
  #forget(calls: readonly T[], line: Line<T>): void {
    for (const { keys } of calls) {
      for (const key of keys) {
        const others = (line.calls.get(key) ?? 0) - 1
        if (others > 0) {
          line.calls.set(key, others)
        } else {
          line.calls.delete(key)
          this.#lines.delete(key)
        }
      }
    }
  }
}

export function isWaitedFor({ caller }: Turn): boolean {
  return caller?.done !== true
}
