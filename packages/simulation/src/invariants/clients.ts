import { noteOf } from '../history/asking.ts'
import { isOfManaged } from '../history/managed.ts'
import type { ActRecord, WishRecord } from '../history/record.ts'
import type { World } from '../history/world.ts'
import { factsOf, shown } from './facts.ts'
import type { Invariant } from './invariant.ts'

/** The server hears with each charge which client it is of. */
export const notesAreHeard: Invariant = {
  name: 'the server hears who made a call',
  *breaches({ record }) {
    for (const { call, note, key } of record.takes) {
      if (call === undefined || note === undefined) continue
      const { client } = call.plan
      const said = client === undefined ? '' : noteOf(client)
      if (note !== said) yield `"${note}" of ${key}, not "${said}": ${shown(call)}`
    }
  },
}

/** What one client has in a window, as a person would keep the account. */
interface Account {
  /** Units that the client surely asked for, refusals included. */
  wished: number
  used: number
}

interface Window {
  readonly endUs: number
  readonly accounts: Map<string, Account>
  /** The window that this one follows. */
  readonly before: Window | undefined
}

/** The windows of one shared key, one after another. */
class Book {
  readonly #limit: number
  readonly #windowUs: number
  #window: Window | undefined

  constructor(limit: number, windowUs: number) {
    this.#limit = limit
    this.#windowUs = windowUs
  }

  #windowAt(us: number): Window {
    const last = this.#window
    if (last !== undefined && us < last.endUs) return last
    const follows = last !== undefined && us < last.endUs + this.#windowUs
    // Windows before that do not matter any more.
    const before = follows ? { ...last, before: undefined } : undefined
    this.#window = { endUs: us + this.#windowUs, accounts: new Map(), before }
    return this.#window
  }

  /** Books a wish; answers what is wrong with it. */
  enter({ note, units, taken, serverUs }: WishRecord): string | undefined {
    // A cost that can never fit does not count as asked for.
    if (units > this.#limit && taken === 0) return undefined
    const window = this.#windowAt(serverUs)
    const account = window.accounts.get(note) ?? { wished: 0, used: 0 }
    const wanted = Math.min(units, this.#limit)
    const owed = this.#owedTo(note, window)
    const isRefused = taken === 0
    const said =
      isRefused && account.used + units <= owed
        ? `"${note}" was refused ${units} at ${serverUs}, with ${account.used} of its ${owed} used`
        : undefined
    window.accounts.set(note, {
      wished: account.wished + (taken > 0 ? taken : wanted),
      used: account.used + taken,
    })
    let all = 0
    for (const { used } of window.accounts.values()) all += used
    return all > this.#limit ? `${all} of ${this.#limit} were taken until ${window.endUs}` : said
  }

  /** The units that no other client may use: for one that asked in the window before, its share if one more comes; if it is alone, all. */
  #owedTo(note: string, { accounts, before }: Window): number {
    const known = before?.accounts ?? new Map<string, Account>()
    const isAlone = [...known.keys(), ...accounts.keys()].every((name) => name === note)
    if (isAlone) return this.#limit
    const share = Math.floor(this.#limit / (known.size + 1))
    return Math.min(known.get(note)?.wished ?? 0, share)
  }

  give({ amount, own }: ActRecord): void {
    const window = this.#window
    const account = window?.accounts.get(own.slice(own.indexOf(':') + 2))
    if (window === undefined || account === undefined || Number.parseInt(own, 10) !== window.endUs) return
    const given = Math.min(amount, account.used)
    account.used -= given
    account.wished = Math.max(0, account.wished - given)
  }
}

/** Each client has its share, in the next window at the latest, and all together have no more than the limit. */
export const sharesAreKept: Invariant = {
  name: 'each client has its share',
  *breaches(world: World) {
    const { scenario, faults, calls } = world.plan
    const { policies } = scenario
    const [policy] = policies
    const { losses, clockSteps } = factsOf(world)
    // A server that cannot write forgets what it refuses.
    if (faults.some(({ kind }) => kind === 'no-writes')) return
    if (policy?.strategy !== 'fairShare' || policies.length > 1 || losses > 0 || clockSteps > 0) return
    if (scenario.chosen !== undefined || calls.some(({ settlesTo }) => settlesTo !== undefined)) return
    const books = new Map<string, Book>()
    for (const entry of world.record.wishes) {
      if (isOfManaged(entry.key)) continue
      const book = books.get(entry.key) ?? new Book(policy.limit, policy.windowMs * 1000)
      books.set(entry.key, book)
      if ('act' in entry) {
        book.give(entry)
        continue
      }
      const said = book.enter(entry)
      if (said !== undefined) yield `${entry.key}: ${said}`
    }
  },
}
