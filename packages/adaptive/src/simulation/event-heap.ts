/** An event at an instant. */
export interface Timed {
  readonly atUs: number
}

/** A heap of events, the earliest first. */
export class EventHeap<Event extends Timed> {
  readonly #heap: Event[] = []

  add(event: Event): void {
    const heap = this.#heap
    let at = heap.length
    while (at > 0) {
      const above = (at - 1) >> 1
      const parent = heap[above]
      if (parent === undefined || parent.atUs <= event.atUs) break
      heap[at] = parent
      at = above
    }
    heap[at] = event
  }

  /** Takes the earliest out, if it is not after this instant. */
  next(untilUs: number): Event | undefined {
    const heap = this.#heap
    const first = heap[0]
    if (first === undefined || first.atUs > untilUs) return undefined
    const last = heap.pop()
    if (last !== undefined && last !== first) this.#sink(last)
    return first
  }

  #sink(event: Event): void {
    const heap = this.#heap
    let at = 0
    for (;;) {
      const left = heap[2 * at + 1]
      const right = heap[2 * at + 2]
      if (left === undefined) break
      const rightFirst = right !== undefined && right.atUs < left.atUs
      const least = rightFirst ? right : left
      if (least.atUs >= event.atUs) break
      heap[at] = least
      at = 2 * at + (rightFirst ? 2 : 1)
    }
    heap[at] = event
  }
}
