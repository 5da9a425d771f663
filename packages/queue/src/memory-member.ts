import type { Clock } from '@sluice/core'
import type { Failures } from './failures.ts'
import type { Finished, Handed, JoinOptions, Member, Outcome } from './jobs.ts'
import type { Bell } from './memory-bell.ts'
import type { Entry } from './memory-entries.ts'
import type { State } from './memory-state.ts'

const longestWaitMs = 1000

interface Parts<Job, Result> {
  readonly state: State<Job, Result>
  readonly bell: Bell
  readonly failures: Failures
  readonly clock: Clock
}

/**
 * A processor's part in an embedded queue. No entry runs alone or is claimed from another member: a process that dies takes the queue
 * with it.
 */
export class MemoryMember<Job, Result> implements Member<Job, Result> {
  readonly #state: State<Job, Result>
  readonly #bell: Bell
  readonly #failures: Failures
  readonly #clock: Clock
  readonly #idleUs: number
  readonly #maxAttempts: number

  constructor(
    { state, bell, failures, clock }: Parts<Job, Result>,
    { idleClaimMs, maxAttempts }: JoinOptions,
  ) {
    this.#state = state
    this.#bell = bell
    this.#failures = failures
    this.#clock = clock
    this.#idleUs = idleClaimMs * 1000
    this.#maxAttempts = maxAttempts
  }

  async take(room: number, signal: AbortSignal): Promise<readonly Handed<Job>[]> {
    const taken = this.#takeNow(room)
    if (taken.length > 0 || signal.aborted) return taken
    const { nextDueUs = Number.POSITIVE_INFINITY } = this.#state.entries
    const dueMs = Math.ceil((nextDueUs - this.#clock.nowUs()) / 1000)
    await this.#bell.wait(Math.min(dueMs, longestWaitMs), signal)
    return signal.aborted ? [] : this.#takeNow(room)
  }

  #takeNow(room: number): readonly Handed<Job>[] {
    const nowUs = this.#clock.nowUs()
    const taken: Handed<Job>[] = []
    while (taken.length < room) {
      const entry = this.#state.entries.take(nowUs)
      if (entry === undefined) break
      taken.push(this.#hand(entry))
    }
    return taken
  }

  #hand(entry: Entry): Handed<Job> {
    const spent = entry.attempt >= this.#maxAttempts
    if (!spent) entry.attempt++
    entry.holder = this
    const { ticket, attempt } = entry
    return { how: spent ? 'spent' : 'now', mark: ticket, ticket, job: JSON.parse(entry.job), attempt }
  }

  async renew(held: readonly Handed<Job>[]): Promise<readonly Handed<Job>[]> {
    return held.filter((handed) => this.#held(handed) === undefined)
  }

  /** The entry that was handed out, if it still belongs to this member with the same attempt. */
  #held({ ticket, attempt }: Handed<Job>): Entry | undefined {
    const entry = this.#state.entries.get(ticket)
    return entry?.holder === this && entry.attempt === attempt ? entry : undefined
  }

  async start(handed: Handed<Job>): Promise<Handed<Job> | undefined> {
    return this.#held(handed) === undefined ? undefined : { ...handed, how: 'now' }
  }

  async finish(handed: Handed<Job>, outcome: Outcome<Result>): Promise<Finished> {
    const entry = this.#held(handed)
    if (entry === undefined) return this.#state.entries.get(handed.ticket) === undefined ? 'gone' : 'lost'
    const nowUs = this.#clock.nowUs()
    if (outcome.state === 'again') this.#putBack(entry, nowUs + this.#backoffUs(entry))
    else this.#failures.ended(entry.ticket, this.#state.end(entry, outcome, nowUs))
    return 'ok'
  }

  #backoffUs({ attempt }: Entry): number {
    return Math.min(this.#idleUs, 1_000_000 * 2 ** (attempt - 1))
  }

  #putBack(entry: Entry, dueUs: number): void {
    this.#state.entries.putBack(entry, dueUs)
    this.#bell.ring()
  }

  async leave({ unstarted, running }: Parameters<Member<Job, Result>['leave']>[0]): Promise<void> {
    const nowUs = this.#clock.nowUs()
    const ticketsOf = (handed: readonly Handed<Job>[]) => new Set(handed.map(({ ticket }) => ticket))
    const [never, still] = [ticketsOf(unstarted), ticketsOf(running)]
    for (const entry of this.#state.entries.heldBy(this)) {
      if (never.has(entry.ticket)) entry.attempt--
      this.#putBack(entry, still.has(entry.ticket) ? nowUs + this.#idleUs : nowUs)
    }
  }
}
