/** How far apart two clocks may be measured before an older measure is forgotten: drift, and steps of the server's clock. */
const windowUs = 10_000_000

/**
 * The server's clock, as its replies show it. The offset is the smallest difference lately seen between a reply's TIME and our
 * clock when its call was sent: slow replies do not shorten it.
 */
export class ServerClock {
  #offsetUs: number | undefined
  #freshUs: number | undefined
  #freshSinceUs = 0

  get known(): boolean {
    return this.#offsetUs !== undefined
  }

  /** The server's time as of one of ours. */
  at(localUs: number): number {
    return localUs + (this.#offsetUs ?? 0)
  }

  observe(sentUs: number, serverUs: number): void {
    const offsetUs = serverUs - sentUs
    if (this.#freshUs === undefined || sentUs - this.#freshSinceUs > windowUs) {
      this.#offsetUs = this.#freshUs ?? offsetUs
      this.#freshUs = offsetUs
      this.#freshSinceUs = sentUs
    } else if (offsetUs < this.#freshUs) {
      this.#freshUs = offsetUs
    }
    if (this.#offsetUs === undefined || offsetUs < this.#offsetUs) this.#offsetUs = offsetUs
  }

  /** The server's clock has moved: what was measured before says nothing now. */
  restart(sentUs: number, serverUs: number): void {
    this.#offsetUs = serverUs - sentUs
    this.#freshUs = this.#offsetUs
    this.#freshSinceUs = sentUs
  }
}
