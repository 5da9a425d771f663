import { type Place, query } from './statements.ts'

/** The most rows that one statement deletes. */
const batch = 1000

/** Deletes rows whose time to live is over: a batch now and then, and further ones while there are many. */
export class Sweeper {
  readonly #place: Place
  readonly #timer: NodeJS.Timeout
  #stopped = false
  /** The timer's round that is under way. */
  #round: Promise<unknown> | undefined

  constructor(place: Place, everyMs: number) {
    this.#place = place
    this.#timer = setInterval(() => this.#begin(), everyMs)
    this.#timer.unref()
  }

  #begin(): void {
    this.#round ??= this.sweep().finally(() => {
      this.#round = undefined
    })
  }

  /** Returns how many rows it has deleted. A failure concerns no request: the next round tries again. */
  async sweep(): Promise<number> {
    const { table } = this.#place.names
    const text = `WITH gone AS (DELETE FROM ${table} WHERE key = ANY (ARRAY(
        SELECT key FROM ${table} WHERE expires_at < clock_timestamp() LIMIT ${batch} FOR UPDATE SKIP LOCKED
      )) RETURNING 1) SELECT count(*)::int AS count FROM gone`
    let deleted = 0
    try {
      for (let count = batch; count === batch && !this.#stopped; deleted += count) {
        const [row] = (await query(this.#place, { text })) as readonly { readonly count: number }[] // as the statement says
        count = row?.count ?? 0
      }
    } catch {
      // Requests show whether the database answers.
    }
    return deleted
  }

  /** After this no statement is under way. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearInterval(this.#timer)
    await this.#round
  }
}
