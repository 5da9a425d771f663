import type { EventLine, Events } from './wire.ts'

const maxKept = 200
const dayMs = 24 * 3600 * 1000

/** A text, or how it reads for viewers who see keys masked and for those who see them in full. */
export type EventWords = string | ((masked: boolean) => string)

interface Entry extends Omit<EventLine, 'text'> {
  readonly text: EventWords
}

/** The events of the last 24 hours, the newest first. */
export class EventLog {
  readonly #nowMs: () => number
  #all: readonly Entry[] = []

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  add(title: string, text: EventWords, more: Partial<Pick<EventLine, 'mark' | 'exactAtMs'>> = {}): void {
    const entry = { atMs: Math.floor(this.#nowMs()), mark: '', title, text, ...more } as const
    this.#all = [entry, ...this.#all].slice(0, maxKept)
  }

  /** For repeating events: adds one at most once an hour. */
  addOnce(title: string, text: EventWords): void {
    const sinceMs = this.#nowMs() - 3600 * 1000
    if (!this.#all.some((each) => each.title === title && each.atMs > sinceMs)) this.add(title, text)
  }

  message(masked = true): Events {
    const sinceMs = this.#nowMs() - dayMs
    const events = this.#all
      .filter(({ atMs }) => atMs > sinceMs)
      .map((each) => ({ ...each, text: typeof each.text === 'string' ? each.text : each.text(masked) }))
    return { event: 'events', events }
  }
}
