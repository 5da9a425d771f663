import type { RecordedEvent } from '@sluice/telemetry'
import type { EventLine, Events } from './wire.ts'

const maxKept = 200
const dayMs = 24 * 3600 * 1000
/** Within this time, several processes report one outage or one act. */
const sameMs = 10_000

/** A text, or a function that gives the text for viewers who see keys masked, and for those who see them in full. */
export type EventWords = string | ((masked: boolean) => string)

/** An event as it is kept, with both texts: the process that reads it again may not have the secret of the marks. */
interface Entry extends EventLine {
  readonly maskedText: string
}

/** Where events are kept over a restart. */
interface Keeper {
  nowMs(): number
  addEvent(event: RecordedEvent): void
  events(fromMs: number): Promise<readonly RecordedEvent[]>
}

/** The events of the last 24 hours, the newest first: those of this dashboard, and those that were kept before it began. */
export class EventLog {
  readonly #keeper: Keeper
  #all: readonly Entry[] = []
  #recalled: 'no' | 'asking' | 'yes' = 'no'

  constructor(keeper: Keeper) {
    this.#keeper = keeper
  }

  add(
    title: string,
    text: EventWords,
    {
      atMs = Math.floor(this.#keeper.nowMs()),
      ...more
    }: Partial<Pick<EventLine, 'atMs' | 'mark' | 'exactAtMs'>> = {},
  ): void {
    const [whole, maskedText] = typeof text === 'string' ? [text, text] : [text(false), text(true)]
    const kept = { mark: '', title, text: whole, maskedText, ...more } as const
    this.#all = [{ atMs, ...kept }, ...this.#all].slice(0, maxKept)
    this.#keeper.addEvent({ atMs, text: JSON.stringify(kept) })
  }

  /** For repeating events: adds one at most once an hour. */
  addOnce(title: string, text: EventWords): void {
    const sinceMs = this.#keeper.nowMs() - 3600 * 1000
    if (!this.#all.some((each) => each.title === title && each.atMs > sinceMs)) this.add(title, text)
  }

  /** Reads what was kept, once; call it again until it could be read. Never rejects. */
  async recall(): Promise<void> {
    if (this.#recalled !== 'no') return
    this.#recalled = 'asking'
    try {
      const kept = await this.#keeper.events(this.#keeper.nowMs() - dayMs)
      for (const entry of kept.flatMap(entryOf)) this.#addKept(entry)
      this.#all = [...this.#all].sort((a, b) => b.atMs - a.atMs).slice(0, maxKept)
      this.#recalled = 'yes'
    } catch {
      this.#recalled = 'no'
    }
  }

  message(masked = true): Events {
    const sinceMs = this.#keeper.nowMs() - dayMs
    const events = this.#all
      .filter(({ atMs }) => atMs > sinceMs)
      .map(({ maskedText, ...line }) => (masked ? { ...line, text: maskedText } : line))
    return { event: 'events', events }
  }

  #addKept(entry: Entry): void {
    if (!this.#all.some((each) => isSame(each, entry))) this.#all = [entry, ...this.#all]
  }
}

/** Whether two entries are about one event. Those with a mark may differ in their texts: processes report other numbers of one outage. */
function isSame(a: Entry, b: Entry): boolean {
  if (a.title !== b.title || Math.abs(a.atMs - b.atMs) > sameMs) return false
  return a.mark !== '' || a.text === b.text
}

/** The entry of a kept event; none where another program has written it. */
function entryOf({ atMs, text: json }: RecordedEvent): readonly Entry[] {
  try {
    const { mark, title, text, maskedText, exactAtMs }: Record<string, unknown> = JSON.parse(json)
    if (mark !== 'away' && mark !== 'live' && mark !== '') return []
    if (typeof title !== 'string' || typeof text !== 'string' || typeof maskedText !== 'string') return []
    const exact = typeof exactAtMs === 'number' ? { exactAtMs } : {}
    return [{ atMs, mark, title, text, maskedText, ...exact }]
  } catch {
    return []
  }
}
