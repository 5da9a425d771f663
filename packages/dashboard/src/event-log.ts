import type { Happened, Happening } from './wire.ts'

const mostKept = 200
const dayMs = 24 * 3600 * 1000

/** What has happened in the last 24 hours, the newest first. */
export class EventLog {
  readonly #nowMs: () => number
  #all: readonly Happening[] = []

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  add(title: string, text: string, mark: Happening['mark'] = ''): void {
    this.#all = [{ atMs: Math.floor(this.#nowMs()), mark, title, text }, ...this.#all].slice(0, mostKept)
  }

  /** For what would repeat: once an hour. */
  addOnce(title: string, text: string): void {
    const sinceMs = this.#nowMs() - 3600 * 1000
    if (!this.#all.some((each) => each.title === title && each.atMs > sinceMs)) this.add(title, text)
  }

  message(): Happened {
    const sinceMs = this.#nowMs() - dayMs
    return { event: 'happened', happenings: this.#all.filter(({ atMs }) => atMs > sinceMs) }
  }
}
