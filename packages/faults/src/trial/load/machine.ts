import { availableParallelism } from 'node:os'
import { nowMs } from '../exchange.ts'
import { type CoreTime, coreTimeOf } from './core-time.ts'
import type { Lateness } from './lateness.ts'

/** How the cores of the machine served the processes of a trial, and what share of them the servers took. */
export interface Machine {
  /** The most that the load or a server had to wait for a core, between two looks. */
  readonly longestStallMs: number
  /** The most that one server ran in a second, as a share of one core. */
  readonly mostOfOne: number
  /** The most that all servers ran in a second, as a share of all cores. */
  readonly mostOfAll: number
}

const spanMs = 1000

interface Server {
  readonly pid: number
  /** The value at the last look. */
  waitedMs: number
  /** The value when this span began. */
  ranMs: number
}

/**
 * Looks at the cores that the load and the servers get. It leaves out the first second, in which the servers compile their code: trials
 * are not judged by it.
 */
export class MachineWatch {
  readonly #lateness: Pick<Lateness, 'withheldMs'>
  readonly #timeOf: (pid: number) => CoreTime
  readonly #servers: readonly Server[]
  #withheldMs: number
  #spanAtMs = nowMs()
  #isWarm = false
  #longestStallMs = 0
  #mostOfOne = 0
  #mostOfAll = 0

  constructor(
    pids: readonly number[],
    lateness: Pick<Lateness, 'withheldMs'>,
    timeOf: (pid: number) => CoreTime = coreTimeOf,
  ) {
    this.#timeOf = timeOf
    this.#lateness = lateness
    this.#withheldMs = lateness.withheldMs
    this.#servers = pids.map((pid) => ({ pid, ...timeOf(pid) }))
  }

  get seen(): Machine {
    return {
      longestStallMs: this.#longestStallMs,
      mostOfOne: this.#mostOfOne,
      mostOfAll: this.#mostOfAll,
    }
  }

  /** To be called every tenth of a second. */
  look(): void {
    const { withheldMs } = this.#lateness
    const times = this.#servers.map((server) => ({ server, ...this.#timeOf(server.pid) }))
    if (this.#isWarm) {
      const stallsMs = times.map(({ server, waitedMs }) => waitedMs - server.waitedMs)
      this.#longestStallMs = Math.max(this.#longestStallMs, withheldMs - this.#withheldMs, ...stallsMs)
    }
    this.#withheldMs = withheldMs
    for (const { server, waitedMs } of times) server.waitedMs = waitedMs
    const passedMs = nowMs() - this.#spanAtMs
    if (passedMs >= spanMs) this.#endSpan(times, passedMs)
  }

  #endSpan(times: readonly (CoreTime & { readonly server: Server })[], passedMs: number): void {
    if (this.#isWarm) {
      const shares = times.map(({ server, ranMs }) => Math.max(0, ranMs - server.ranMs) / passedMs)
      const all = shares.reduce((sum, share) => sum + share, 0) / availableParallelism()
      this.#mostOfOne = Math.max(this.#mostOfOne, ...shares)
      this.#mostOfAll = Math.max(this.#mostOfAll, all)
    }
    this.#isWarm = true
    for (const { server, ranMs } of times) server.ranMs = ranMs
    this.#spanAtMs += passedMs
  }
}
