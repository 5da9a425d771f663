/** How far apart two clocks may be measured before an older measure is forgotten, as they drift. */
const windowUs = 10_000_000

/** By how much the server's clock is ahead of ours: no less and no more. */
interface Ahead {
  leastUs: number
  mostUs: number
}

/**
 * The server's clock, as its replies show it: a reply's TIME was read after its call was sent and before the reply was heard. What
 * several replies allow is known together, so that slow replies say less, and nothing wrong.
 */
export class ServerClock {
  #ahead: Ahead | undefined
  #fresh: Ahead | undefined
  #freshSinceUs = Number.NEGATIVE_INFINITY

  get known(): boolean {
    return this.#ahead !== undefined
  }

  /** The earliest time that the server may have at one of ours: a deadline by it is never too late there, however slow replies were. */
  earliest(localUs: number): number {
    return localUs + (this.#ahead?.leastUs ?? 0)
  }

  /** The latest: a wait by it is never too long here. */
  latest(localUs: number): number {
    return localUs + (this.#ahead?.mostUs ?? 0)
  }

  observe(serverUs: number, sentUs: number, heardUs: number): void {
    if (sentUs - this.#freshSinceUs > windowUs) {
      this.#ahead = this.#fresh
      this.#fresh = undefined
      this.#freshSinceUs = sentUs
    }
    const leastUs = serverUs - heardUs
    const mostUs = serverUs - sentUs
    this.#fresh = narrowed(this.#fresh, leastUs, mostUs)
    this.#ahead = narrowed(this.#ahead, leastUs, mostUs)
  }
}

/** What two measures allow together, in place; where that is nothing, a clock was set, and only the second counts. */
function narrowed(known: Ahead | undefined, leastUs: number, mostUs: number): Ahead {
  if (known === undefined || known.leastUs > mostUs || known.mostUs < leastUs) return { leastUs, mostUs }
  if (known.leastUs < leastUs) known.leastUs = leastUs
  if (known.mostUs > mostUs) known.mostUs = mostUs
  return known
}
