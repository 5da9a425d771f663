import type { EventLine, Events } from './wire.ts'

const maxKept = 200
const dayMs = 24 * 3600 * 1000

/** The events of the last 24 hours, the newest first. */
export class EventLog {
  readonly #nowMs: () => number
  #all: readonly EventLine[] = []

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  add(title: string, text: string, mark: EventLine['mark'] = ''): void {
    this.#all = [{ atMs: Math.floor(this.#nowMs()), mark, title, text }, ...this.#all].slice(0, maxKept)
  }

  /** For repeating events: adds one at most once an hour. */
  addOnce(title: string, text: string): void {
    const sinceMs = this.#nowMs() - 3600 * 1000
    if (!this.#all.some((each) => each.title === title && each.atMs > sinceMs)) this.add(title, text)
  }

  message(): Events {
    const sinceMs = this.#nowMs() - dayMs
    return { event: 'events', events: this.#all.filter(({ atMs }) => atMs > sinceMs) }
  }
}
