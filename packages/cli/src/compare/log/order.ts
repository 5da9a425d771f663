import type { Request } from '../request.ts'

/** By how many lines a line may be late and still be sorted into its place. */
const reach = 10_000

/** Sorts requests by time. A server writes a line when the response ends, so lines are slightly out of order. */
export class Order {
  #waiting: Request[] = []
  #latestUs = 0
  #movedOn = 0

  /** Requests that were later than the reach, and got a later time. */
  get movedOn(): number {
    return this.#movedOn
  }

  /** Returns the requests whose order is final. */
  add(requests: readonly Request[]): readonly Request[] {
    for (const request of requests) this.#waiting.push(request)
    return this.#waiting.length < 2 * reach ? [] : this.#release(this.#waiting.length - reach)
  }

  rest(): readonly Request[] {
    return this.#release(this.#waiting.length)
  }

  #release(count: number): readonly Request[] {
    // This is stable for equal times, and cheap for lists that are already sorted.
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
