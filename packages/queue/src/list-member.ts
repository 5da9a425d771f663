import { inRedis } from '@sluice/core/internal'
import type { Finished, Handed, Member, Outcome } from './jobs.ts'
import * as scripts from './list-scripts.ts'
import type { BlockingReader, QueueServer } from './server.ts'
import { textsOf } from './stream-replies.ts'

interface Parts {
  readonly server: QueueServer
  /** Called with each job that is lost: a list hands nothing out twice. */
  readonly lost: (ticket: string, why: string) => void
}

/** A processor's part in a list queue: entries that it has taken are stored nowhere else. */
export class ListMember<Job> implements Member<Job, never> {
  readonly #server: QueueServer
  readonly #lost: Parts['lost']
  readonly #reader: BlockingReader
  readonly #entries: string
  readonly #measure: string
  /** Whether Redis' user may give entries back. Otherwise none is taken, as a stop could lose it. */
  #mayGiveBack = false
  #hasLeft = false

  constructor({ server, lost }: Parts) {
    this.#server = server
    this.#lost = lost
    this.#reader = server.reader()
    this.#entries = server.key('l')
    this.#measure = server.key('m')
  }

  async take(room: number, signal: AbortSignal): Promise<readonly Handed<Job>[]> {
    const taken = await this.#pop(room, 0)
    if (taken.length > 0 || signal.aborted) return this.#hand(taken)
    const first = await this.#waitForFirst()
    if (first === undefined) return []
    // If this call fails, the first entry is handed out all the same: it exists only here.
    const rest = await this.#pop(room - 1, 1).catch(() => [])
    return this.#hand([first, ...rest])
  }

  async #pop(room: number, taken: number): Promise<readonly string[]> {
    const args = [room, taken, this.#mayGiveBack ? 0 : 1]
    const [, entries] = await this.#server.askInTime(scripts.pop, [this.#entries, this.#measure], args)
    this.#mayGiveBack = true
    return textsOf(entries)
  }

  async #waitForFirst(): Promise<string | undefined> {
    const seconds = this.#reader.blockMs / 1000
    const reply = await this.#reader.send('BRPOP', [this.#entries, seconds], this.#entries)
    if (reply === null || reply === undefined) return undefined
    const [, entry] = textsOf(reply)
    if (entry === undefined) throw inRedis.malformed()
    return entry
  }

  #hand(entries: readonly string[]): readonly Handed<Job>[] {
    const handed: Handed<Job>[] = []
    for (const entry of entries) {
      const [, mark = '', ticket = '', job = ''] = /^(\d+\.([^.]+))\.(.+)$/s.exec(entry) ?? []
      try {
        handed.push({ how: 'now', mark, ticket, job: JSON.parse(job), attempt: 1 })
      } catch {
        this.#lost(ticket, 'it is no job that this queue has written')
      }
    }
    return handed
  }

  /** Renews nothing: no other member can take an entry that was taken. */
  async renew(): Promise<readonly Handed<Job>[]> {
    return []
  }

  async start(handed: Handed<Job>): Promise<Handed<Job> | undefined> {
    return handed
  }

  async finish({ ticket }: Handed<Job>, outcome: Outcome<never>): Promise<Finished> {
    if (outcome.state !== 'done') this.#lost(ticket, outcome.error)
    return 'ok'
  }

  async leave({ unstarted }: { readonly unstarted: readonly Handed<Job>[] }): Promise<void> {
    await this.#reader.close()
    // Not retried: a second call could put them back twice.
    if (this.#hasLeft) return
    this.#hasLeft = true
    if (unstarted.length === 0) return
    const entries = unstarted.map(({ mark, job }) => `${mark}.${JSON.stringify(job)}`)
    try {
      inRedis.integerOf(await this.#server.ask(scripts.giveBack, [this.#entries], entries.reverse()))
    } catch (error) {
      for (const { ticket } of unstarted) this.#lost(ticket, 'it had not begun, and giving it back failed')
      throw error
    }
  }
}
