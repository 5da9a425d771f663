import { isOptionError } from '@sluice/core'
import type { Recorder, SinkQuery } from '@sluice/telemetry'
import type { Board } from './board.ts'
import { hourSeconds } from './row-info.ts'
import { largerOf, type Tally, tallyOf } from './tally.ts'

/** The most values of one query, so that it does not block a store. */
const maxValues = 50_000
/** Processes that write late may still correct this many of the last seconds. */
const lateSeconds = 5
/** How many of the last seconds may still be corrected while the sink is unavailable, and for a while after that. */
const longLateSeconds = 90
const recheckSeconds = 15
const firstSlice = 60

export interface ReaderDependencies {
  readonly board: Board
  readonly recorder: Pick<Recorder, 'query' | 'nowMs'>
  /** This process's own counts, while the recorder cannot be read. */
  readonly standIn: Pick<Recorder, 'query'> & { readonly fromSecond?: number | undefined }
  /** Called once when the recorder cannot be read. */
  unread(error: unknown): void
  readAgain(): void
}

/** Reads a recorder's units onto a board: first the last hour, backwards, then each second. */
export class Reader {
  readonly #deps: ReaderDependencies
  /** The most series that a query has returned. */
  #series = 1
  #slice = firstSlice
  #filled = false
  /** The first second that could not be read. */
  #unreadFrom: number | undefined
  /** The last seconds that could not be read when they had ended. */
  #gap = { from: 0, to: -1 }
  #recheckUntil = 0

  constructor(deps: ReaderDependencies) {
    this.#deps = deps
  }

  /** Whether the whole hour was read, and the windows before it. */
  get filled(): boolean {
    return this.#filled
  }

  get failing(): boolean {
    return this.#unreadFrom !== undefined
  }

  /** Whether everything for a span was read, or everything there is. */
  covers(spanSeconds: number): boolean {
    const { empty, firstSecond, lastSecond } = this.#deps.board
    if (empty) return false
    return this.#filled || this.failing || firstSecond <= lastSecond + 1 - spanSeconds - this.#longestWindow()
  }

  /** Whether seconds have ended that were not read yet. */
  get due(): boolean {
    return this.#ended > this.#deps.board.lastSecond || this.#deps.board.outdated || this.#wasSetBack
  }

  /** Reads the seconds that have ended. Resolves to the first that changed, undefined for none. Never rejects. */
  async readOn(): Promise<number | undefined> {
    const { board } = this.#deps
    if (!this.due) return undefined
    const ended = this.#ended
    if (board.outdated || this.#wasSetBack || ended - board.lastSecond > hourSeconds) this.#startAnew()
    const from = this.#nextFrom(ended)
    try {
      const tallies = await this.#readAll(from, ended)
      this.#succeeded()
      const keeping = this.#recheckUntil > ended
      return Math.min(...tallies.map((tally) => board.append(tally, keeping)))
    } catch (error) {
      // The query may have waited for a hanging store.
      const until = Math.max(ended, this.#ended)
      this.#failed(error, until)
      return board.append(await this.#own(board.empty ? this.#ownFrom(until) : board.lastSecond + 1, until))
    }
  }

  /** Reads one more slice of the past, until the hour is `filled`. Resolves to false if that failed. */
  async readBack(): Promise<boolean> {
    const { board } = this.#deps
    const wanted = board.lastSecond + 1 - hourSeconds - this.#longestWindow()
    const from = Math.max(wanted, board.firstSecond - this.#slice)
    try {
      if (from < board.firstSecond) {
        const tally = await this.#read(from, board.firstSecond - 1)
        if (tally === undefined) return true
        board.prepend(tally)
      }
    } catch {
      return false
    }
    this.#filled = from <= wanted
    return true
  }

  /** Reads more of the past again for a while, because recorders now write what they kept while the sink was unavailable. */
  recheck(): void {
    this.#recheckUntil = this.#ended + recheckSeconds
  }

  get #ended(): number {
    return Math.floor(this.#deps.recorder.nowMs() / 1000) - 1
  }

  /** Whether the clock was set back, so that the board is in the future. */
  get #wasSetBack(): boolean {
    return this.#ended < this.#deps.board.lastSecond - lateSeconds
  }

  #nextFrom(ended: number): number {
    const { empty, firstSecond, lastSecond } = this.#deps.board
    if (empty) return ended - this.#slice + 1
    const late = this.#recheckUntil > ended ? longLateSeconds : lateSeconds
    return Math.max(firstSecond, Math.min(lastSecond + 1 - late, this.#unreadFrom ?? lastSecond))
  }

  #startAnew(): void {
    this.#deps.board.forget()
    this.#filled = false
    this.#series = 1
    this.#slice = firstSlice
  }

  #longestWindow(): number {
    let longest = 0
    for (const { windowSeconds } of this.#deps.board.rows) longest = Math.max(longest, windowSeconds)
    return longest
  }

  #succeeded(): void {
    if (!this.failing) return
    this.#unreadFrom = undefined
    this.recheck()
    this.#deps.readAgain()
  }

  #failed(error: unknown, ended: number): void {
    if (this.#unreadFrom === undefined) {
      this.#unreadFrom = Math.max(0, this.#deps.board.lastSecond)
      this.#gap = { from: this.#unreadFrom, to: ended }
      this.#deps.unread(error)
    }
    this.#gap.to = ended
  }

  /** The first second of this process's own counts. What was before is not known until the recorder can be read. */
  #ownFrom(until: number): number {
    const { fromSecond = until } = this.#deps.standIn
    return Math.max(Math.min(fromSecond, until), until - hourSeconds + 1)
  }

  async #own(from: number, to: number): Promise<Tally> {
    return tallyOf(await this.#deps.standIn.query(queryOf(from, to)), from, to)
  }

  /** Reads slice by slice; all or nothing, because each second builds on the one before. */
  async #readAll(from: number, to: number): Promise<readonly Tally[]> {
    const tallies: Tally[] = []
    let next = from
    while (next <= to) {
      const end = Math.min(to, next + this.#slice - 1)
      const tally = await this.#read(next, end)
      if (tally === undefined) continue
      tallies.push(tally)
      next = end + 1
    }
    return tallies
  }

  /** Takes this process's own counts where they are larger: an unavailable sink may have lost counts, or may get them late. */
  async #mended(tally: Tally, from: number, to: number): Promise<Tally> {
    const gap = this.#gap
    if (from > gap.to || to < gap.from) return tally
    return largerOf(tally, await this.#own(Math.max(from, gap.from), Math.min(to, gap.to)))
  }

  /** undefined: the span was too long, and the slice is shorter now. */
  async #read(from: number, to: number): Promise<Tally | undefined> {
    try {
      const points = await this.#deps.recorder.query(queryOf(from, to))
      this.#series = Math.max(this.#series, points.length)
      this.#slice = Math.min(hourSeconds, Math.ceil(maxValues / this.#series))
      return await this.#mended(tallyOf(points, from, to), from, to)
    } catch (error) {
      // A sink limits the number of values per query.
      if (from === to || !isOptionError(error)) throw error
      this.#slice = Math.ceil((to - from + 1) / 2)
      return undefined
    }
  }
}

function queryOf(from: number, to: number): SinkQuery {
  return { fromMs: from * 1000, toMs: (to + 1) * 1000, step: '1s' }
}
