import type { Request } from '../request.ts'

/** Lines by which one may stand too late and still be put where it belongs. */
const reach = 10_000

/** Puts requests in the order of their times. A server writes a line when the response ends, so lines stand a little out of order. */
export class Order {
  #waiting: Request[] = []
  #latestUs = 0
  #movedOn = 0

  /** Requests that came later than the reach: their time was moved on. */
  get movedOn(): number {
    return this.#movedOn
  }

  /** Answers those whose turn has come. */
  add(requests: readonly Request[]): readonly Request[] {
    for (const request of requests) this.#waiting.push(request)
    return this.#waiting.length < 2 * reach ? [] : this.#release(this.#waiting.length - reach)
  }

  rest(): readonly Request[] {
    return this.#release(this.#waiting.length)
  }

  #release(count: number): readonly Request[] {
    // It keeps the order of equal times, and takes hardly longer than a look where they are sorted.
    this.#waiting.sort((a, b) => a.atUs - b.atUs)
    const released = this.#waiting.slice(0, count).map((request) => this.#noEarlier(request))
    this.#waiting = this.#waiting.slice(count)
    return released
  }

  #noEarlier(request: Request): Request {
    if (request.atUs >= this.#latestUs) {
      this.#latestUs = request.atUs
      return request
    }
    this.#movedOn++
    return { ...request, atUs: this.#latestUs }
  }
}
