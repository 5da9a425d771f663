/** How far apart two clocks may be measured before an older measure is forgotten, as they drift. */
const windowUs = 10_000_000

/** By how much the server's clock is ahead of ours: no less and no more. */
interface Ahead {
  readonly leastUs: number
  readonly mostUs: number
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

  observe(serverUs: number, { sentUs, heardUs }: { sentUs: number; heardUs: number }): void {
    const seen = { leastUs: serverUs - heardUs, mostUs: serverUs - sentUs }
    if (sentUs - this.#freshSinceUs > windowUs) {
      this.#ahead = this.#fresh
      this.#fresh = undefined
      this.#freshSinceUs = sentUs
    }
    this.#fresh = both(this.#fresh, seen)
    this.#ahead = both(this.#ahead, seen)
  }
}

/** What two measures allow together; where that is nothing, a clock was set, and only the second counts. */
function both(known: Ahead | undefined, seen: Ahead): Ahead {
  if (known === undefined || known.leastUs > seen.mostUs || known.mostUs < seen.leastUs) return seen
  if (known.leastUs >= seen.leastUs && known.mostUs <= seen.mostUs) return known
  return {
    leastUs: Math.max(known.leastUs, seen.leastUs),
    mostUs: Math.min(known.mostUs, seen.mostUs),
  }
}
