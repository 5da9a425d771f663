import { numberOf, type Words } from './calls.ts'
import type { Kind } from './scripts.ts'

/** The consumer under whose name an entry waits for another attempt. */
const retry = 'retry'

export type QueueKind = Extract<Kind, `queue: ${string}`>

/** When a call runs, and a function that throws where the server cannot write, or has no room for more. */
export interface Now {
  readonly nowUs: number
  mustWrite(more: boolean): void
}

interface Entry {
  readonly id: string
  readonly nth: number
  readonly ticket: string
  readonly job: string
  /** The member that has the entry; undefined: none yet. */
  holder: string | undefined
  /** Since when the entry was not renewed. */
  idleFromUs: number
  /** How often the entry was handed out. */
  count: number
}

/** What a full queue answers as the time to come back, and the measure of a queue that has measured nothing. */
export const returnUs = 1_000_000
export const unmeasured = [0, 0, 0, 0, 0, 0, 0, 0, 0] as const

/** What one stream queue has stored. It measures nothing. */
export class QueueData {
  /** The entries by id, in the order of arrival. */
  readonly #entries = new Map<string, Entry>()
  readonly #results = new Map<string, string>()
  #number = 0
  #lastMs = 0
  /** The number of the latest entry that was handed out; undefined: there is no group. */
  #read: number | undefined
  #done = 0
  #dead = 0

  run(kind: QueueKind, words: Words, now: Now): unknown {
    const { nowUs } = now
    if (kind === 'queue: offer') return this.#offer(words, now)
    if (kind === 'queue: status') return this.#status(words, nowUs)
    if (kind === 'queue: health') return this.#health(nowUs)
    now.mustWrite(false)
    switch (kind) {
      case 'queue: take':
        return this.#take(words, nowUs)
      case 'queue: read':
        return this.#readNew(words, nowUs)
      case 'queue: renew':
        return this.#renew(words, nowUs)
      case 'queue: start':
        return this.#start(words, nowUs)
      case 'queue: finish':
        return this.#finish(words, nowUs)
      case 'queue: leave':
        return this.#leave(words, nowUs)
      case 'queue: tidy':
        // In a history, nothing takes entries out of the group.
        return 0
    }
  }

  /** See offer.lua. */
  #offer({ args }: Words, { nowUs, mustWrite }: Now): unknown {
    const [notAfterUs, limit, ticket = '', job = '', measured] = args
    if (notAfterUs !== '0' && nowUs > numberOf(notAfterUs)) return [nowUs]
    if (this.#entries.size >= numberOf(limit)) return [nowUs, 0, returnUs]
    mustWrite(true)
    const nth = ++this.#number
    // The clock may have stepped back.
    this.#lastMs = Math.max(this.#lastMs, Math.floor(nowUs / 1000))
    const id = `${this.#lastMs}-${nth}`
    this.#entries.set(id, { id, nth, ticket, job, holder: undefined, idleFromUs: 0, count: 0 })
    return [nowUs, 1, this.#entries.size, ...(measured === '1' ? unmeasured : [])]
  }

  /** See take.lua. */
  #take({ args }: Words, nowUs: number): unknown {
    const [notAfterUs, me = '', room, idleMs, most, looks] = args
    if (nowUs > numberOf(notAfterUs)) return [nowUs]
    const left = looks === '1' ? this.#left(nowUs - 1000 * numberOf(idleMs), numberOf(room)) : []
    const handed: unknown[] = []
    let holds = false
    for (const entry of left) {
      const attempt = entry.count + 1
      const isLast = attempt === numberOf(most)
      if (isLast && holds) continue
      holds ||= isLast
      entry.holder = me
      entry.idleFromUs = nowUs
      if (attempt < numberOf(most)) entry.count = attempt
      const how = attempt > numberOf(most) ? 'spent' : isLast ? 'alone' : 'now'
      handed.push([entry.id, entry.ticket, entry.job, how === 'spent' ? attempt - 1 : attempt, how])
    }
    if (holds || handed.length >= numberOf(room)) return [nowUs, handed]
    this.#read ??= 0
    for (const { id, ticket, job } of this.#handOut(me, numberOf(room) - handed.length, nowUs))
      handed.push([id, ticket, job, 1, 'now'])
    return [nowUs, handed]
  }

  #left(idleUntilUs: number, most: number): readonly Entry[] {
    const held = [...this.#entries.values()].filter(({ holder }) => holder !== undefined)
    return held.filter(({ idleFromUs }) => idleFromUs <= idleUntilUs).slice(0, most)
  }

  #handOut(me: string, room: number, nowUs: number): readonly Entry[] {
    const next = [...this.#entries.values()].filter(({ nth }) => nth > (this.#read ?? 0)).slice(0, room)
    for (const entry of next) {
      this.#read = entry.nth
      entry.holder = me
      entry.idleFromUs = nowUs
      entry.count = 1
    }
    return next
  }

  /** What XREADGROUP answers of new entries; null: there are none. */
  #readNew({ keys: [key], args: [me = '', room] }: Words, nowUs: number): unknown {
    if (this.#read === undefined) throw new Error(`NOGROUP No such key '${key}' or consumer group 'g'`)
    const entries = this.#handOut(me, numberOf(room), nowUs)
    if (entries.length === 0) return null
    return [[key, entries.map(({ id, ticket, job }) => [id, ['t', ticket, 'j', job]])]]
  }

  #held(id: string | undefined): Entry | undefined {
    const entry = this.#entries.get(id ?? '')
    return entry?.holder === undefined ? undefined : entry
  }

  /** See renew.lua. */
  #renew({ args: [me, ...held] }: Words, nowUs: number): unknown {
    const lost: number[] = []
    for (let i = 0; i < held.length; i += 2) {
      const entry = this.#held(held[i])
      if (entry?.holder === me && entry?.count === numberOf(held[i + 1])) entry.idleFromUs = nowUs
      else lost.push(i / 2 + 1)
    }
    return lost
  }

  /** See start.lua. */
  #start({ args: [me, id, attempt] }: Words, nowUs: number): unknown {
    const entry = this.#held(id)
    const count = numberOf(attempt)
    if (entry === undefined || entry.holder !== me || entry.count < count - 1 || entry.count > count) return 0
    if (entry.count < count) entry.idleFromUs = nowUs
    entry.count = count
    return 1
  }

  /** See finish.lua. */
  #finish({ args }: Words, nowUs: number): unknown {
    const [me, id = '', attempt, ticket = '', state, text = '', , idleMs] = args
    const entry = this.#held(id)
    if (entry === undefined) return 'gone'
    if (entry.holder !== me || entry.count !== numberOf(attempt)) return 'lost'
    if (state === 'again') {
      this.#putBack(entry, nowUs - 1000 * numberOf(idleMs))
      return 'ok'
    }
    this.#entries.delete(id)
    this.#results.set(ticket, text)
    if (state === 'done') this.#done++
    else this.#dead++
    return 'ok'
  }

  #putBack(entry: Entry, idleFromUs: number): void {
    entry.holder = retry
    entry.idleFromUs = idleFromUs
  }

  /** See leave.lua. */
  #leave({ args: [me, idleMs, running, ...ids] }: Words, nowUs: number): unknown {
    const stays = ids.slice(0, numberOf(running))
    let givenBack = 0
    for (const entry of this.#entries.values()) {
      if (entry.holder !== me || stays.includes(entry.id)) continue
      if (ids.includes(entry.id)) entry.count--
      this.#putBack(entry, nowUs - 1000 * numberOf(idleMs))
      givenBack++
    }
    return givenBack
  }

  /** See status.lua. */
  #status({ args: [ticket = ''] }: Words, nowUs: number): unknown {
    const [...entries] = this.#entries.values()
    const entry = entries.find((each) => each.ticket === ticket)
    if (entry === undefined) {
      const ended = this.#results.get(ticket)
      return ended === undefined ? [nowUs, 'unknown'] : [nowUs, 'ended', ended]
    }
    if (entry.holder !== undefined && entry.holder !== retry) return [nowUs, 'running', entry.count]
    return [nowUs, 'waiting', entry.holder === retry ? 1 : entries.indexOf(entry) + 1, ...unmeasured]
  }

  /** See health.lua. */
  #health(nowUs: number): unknown {
    const [...entries] = this.#entries.values()
    const held = entries.filter(({ holder }) => holder !== undefined)
    const retrying = held.filter(({ holder }) => holder === retry).length
    const oldestMs = Number.parseInt(entries[0]?.id ?? '0', 10)
    return [nowUs, entries.length, held.length, retrying, oldestMs, this.#done, this.#dead]
  }
}
