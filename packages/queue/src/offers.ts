import { inRedis, msUp } from '@sluice/core/internal'
import { type Measure, unmeasured, waitMs } from './drain.ts'
import type { QueueSettings } from './options.ts'
import type { Outages } from './outages.ts'
import type { Offer } from './queue.ts'
import type { QueueServer } from './server.ts'
import { readMeasure } from './stream-replies.ts'
import { isTooLarge, jobText } from './texts.ts'

/** How a form of queue admits a job. */
interface Asking {
  readonly script: inRedis.Script
  readonly keys: readonly string[]
  /** A ticket, or the beginning of one. */
  newTicket(): string
  /** How many values for `ticketOf` stand at the end of the script's reply. */
  readonly ends: 0 | 1
  /** `end`: the last value of the reply. */
  ticketOf(begun: string, end: unknown): string
}

/** How often the measurements are read, which costs a command. */
const measureEveryMs = 1000
const measureLength = 9
const unavailable: Offer = Object.freeze({ allowed: false, reason: 'store-unavailable', retryAfterMs: 1000 })

/** Offers to a queue in Redis, each one script call that is never sent twice. */
export class Offers {
  readonly #settings: QueueSettings
  readonly #server: QueueServer
  readonly #outages: Outages
  readonly #asking: Asking
  #measure: Measure = unmeasured
  #measuredMs: number = Number.NEGATIVE_INFINITY

  constructor(
    { settings, server, outages }: { settings: QueueSettings; server: QueueServer; outages: Outages },
    asking: Asking,
  ) {
    this.#settings = settings
    this.#server = server
    this.#outages = outages
    this.#asking = asking
  }

  async offer(job: unknown): Promise<Offer> {
    const text = jobText(job)
    const { limit, maxJobBytes } = this.#settings
    if (isTooLarge(text, maxJobBytes)) return { allowed: false, reason: 'too-large', retryAfterMs: null }
    const { script, keys } = this.#asking
    const begun = this.#asking.newTicket()
    const measured = this.#wantsMeasure()
    const args = [limit, begun, text, measured ? 1 : 0]
    try {
      const offer = this.#read(begun, await this.#server.callInTime(script, keys, args), measured)
      this.#outages.answered()
      return offer
    } catch (error) {
      this.#outages.failed(error)
      return unavailable
    }
  }

  #wantsMeasure(): boolean {
    const nowMs = performance.now()
    if (nowMs - this.#measuredMs < measureEveryMs) return false
    this.#measuredMs = nowMs
    return true
  }

  #read(begun: string, reply: readonly unknown[], measured: boolean): Offer {
    const [nowUs, accepted, number, ...rest] = reply
    const isAccepted = inRedis.integerOf(accepted)
    if (isAccepted === 0)
      return { allowed: false, reason: 'full', retryAfterMs: msUp(inRedis.integerOf(number)) }
    const length = (measured ? measureLength : 0) + this.#asking.ends
    if (isAccepted !== 1 || rest.length !== length) throw inRedis.malformed()
    if (measured) this.#measure = readMeasure(rest)
    const position = inRedis.integerOf(number, 1)
    return {
      allowed: true,
      ticket: this.#asking.ticketOf(begun, rest.at(-1)),
      position,
      waitMs: waitMs(this.#measure, inRedis.integerOf(nowUs), position),
    }
  }
}
