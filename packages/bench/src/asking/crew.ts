import type { Redis } from 'ioredis'
import type { Bench } from '../bench.ts'
import { serverCpuUs } from '../cpu-time.ts'
import { Helper } from '../helper.ts'
import { undisturbed } from '../rounds.ts'
import type { Lane } from '../turns.ts'
import { type Latencies, leadMs, type Rate } from './arrivals.ts'
import type { AskingDuties, Figures } from './asking-child.ts'
import type { LibraryName } from './libraries.ts'
import type { Asked } from './rows.ts'
import type { ClientName } from './work.ts'

export interface RedisFigures extends Figures {
  /** CPU time of the server for each. */
  readonly redisUs: number
}

/** Some tens of thousands of checks, as there are eight such rounds: the compiler is through with most of them then. */
const warmUpMs = 100

/** The processes of a section: one for each library and client, so that no library's calls shape another's code or heap. */
export class Crew {
  readonly #helpers = new Map<string, Helper<AskingDuties>>()
  readonly #url: string
  readonly #client: Redis
  #lanes = 0

  /** `client`: the bench's own, which asks the server for its CPU time. */
  constructor({ url, client }: Pick<Bench, 'url' | 'client'>) {
    this.#url = url
    this.#client = client
  }

  /** Lanes that measure throughput; those whose library has no such thing are left out. */
  async lanes(
    asked: readonly Asked[],
    { atOnce, turnMs }: { atOnce: number; turnMs: number },
  ): Promise<readonly Lane<keyof RedisFigures>[]> {
    const made: Lane<keyof RedisFigures>[] = []
    for (const each of asked) {
      const ready = await this.#make(each, atOnce)
      if (ready === undefined) continue
      const { helper, lane } = ready
      const times = await undisturbed(() => helper.ask('warmUp', { lane, turnMs }))
      made.push({ name: each.name, turn: () => this.#turn(helper, lane, times) })
    }
    return made
  }

  /**
   * Lanes that measure latencies at a rate, once a few thousand checks have been answered: before, the longest waits are for the compiler,
   * which the section of the first checks shows.
   */
  async arrivals(asked: readonly Asked[], about: Rate): Promise<readonly Lane<keyof Latencies>[]> {
    const { arrivals } = about
    const atOnce = typeof arrivals === 'object' ? arrivals.atOnce : 1
    const made: Lane<keyof Latencies>[] = []
    for (const each of asked) {
      const ready = await this.#make(each, atOnce)
      if (ready === undefined) continue
      const { helper, lane } = ready
      await undisturbed(() => helper.ask('warmUp', { lane, turnMs: warmUpMs }))
      const turn = () => helper.ask('arrivals', { lane, leadMs, ...about })
      for (let i = 0; i < 2; i++) await undisturbed(turn)
      made.push({ name: each.name, turn })
    }
    return made
  }

  /** Nothing of what was counted stays. */
  async end(): Promise<void> {
    for (const helper of this.#helpers.values()) await helper.end()
    await this.#client.flushall()
  }

  async #make({ name, library, client, work }: Asked, atOnce: number) {
    const helper = this.#helperOf(library, client ?? 'memory')
    const lane = `${name} ${this.#lanes++}`
    const isMade = await undisturbed(() => helper.ask('make', { lane, work, atOnce }))
    return isMade ? { helper, lane } : undefined
  }

  #helperOf(library: LibraryName, client: ClientName | 'memory'): Helper<AskingDuties> {
    const key = `${library} ${client}`
    const known = this.#helpers.get(key)
    if (known !== undefined) return known
    const helper = new Helper<AskingDuties>('asking/asking-child.js', [library, client, this.#url])
    this.#helpers.set(key, helper)
    return helper
  }

  async #turn(helper: Helper<AskingDuties>, lane: string, times: number): Promise<RedisFigures> {
    const fromUs = await serverCpuUs(this.#client)
    const figures = await helper.ask('turn', { lane, times })
    return { ...figures, redisUs: ((await serverCpuUs(this.#client)) - fromUs) / times }
  }
}
