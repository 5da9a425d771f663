import type { RunningZoo } from '../zoo.ts'

/** Before Redis was killed, while it was away, and since it is back, empty. */
export type Phase = 'before' | 'away' | 'after'

/** A request that the test has sent, and how it was answered. Times are those of the monotonic clock. */
interface Sent {
  readonly zoo: RunningZoo
  readonly attraction: string
  readonly phase: Phase
  readonly status: unknown
  readonly sentMs: number
  readonly answeredMs: number
}

/** Which requests are meant: all, or those of one process, to one attraction, in some phases. */
export interface About {
  readonly zoo?: RunningZoo
  readonly attraction?: string
  readonly phases?: readonly Phase[]
}

/** How many were admitted, refused by a limit or a block, and refused by a list of addresses to deny. */
export interface Counts {
  readonly admitted: number
  readonly limited: number
  readonly denied: number
}

/** What the test itself has counted of the requests that it has sent. */
export class Ledger {
  phase: Phase = 'before'
  readonly #sent: Sent[] = []

  /** Sends it, and writes down what comes of it. */
  async send(
    zoo: RunningZoo,
    attraction: string,
    order: () => Promise<{ status: unknown }>,
  ): Promise<unknown> {
    const { phase } = this
    const sentMs = performance.now()
    const { status } = await order()
    this.#sent.push({ zoo, attraction, phase, status, sentMs, answeredMs: performance.now() })
    return status
  }

  /** Of all requests, or of those alone that are meant. */
  of({ zoo, attraction, phases }: About = {}): Counts {
    const meant = this.#sent.filter(
      (sent) =>
        (zoo === undefined || zoo === sent.zoo) &&
        (attraction === undefined || attraction === sent.attraction) &&
        (phases === undefined || phases.includes(sent.phase)),
    )
    const count = (status: number) => meant.filter((sent) => sent.status === status).length
    return { admitted: count(201), limited: count(429), denied: count(403) }
  }

  get attractions(): readonly string[] {
    return [...new Set(this.#sent.map(({ attraction }) => attraction))]
  }

  /** What an attraction has admitted in a window that ends between these times: at least, and at most. */
  admittedIn(attraction: string, windowMs: number, [fromMs, toMs]: readonly [number, number]) {
    const admitted = this.#sent.filter((sent) => sent.attraction === attraction && sent.status === 201)
    return {
      least: admitted.filter(({ sentMs }) => sentMs > toMs - windowMs).length,
      most: admitted.filter(({ answeredMs }) => answeredMs > fromMs - windowMs).length,
    }
  }
}
