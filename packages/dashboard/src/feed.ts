import type { Client } from './client.ts'
import { eventText } from './event-text.ts'
import { bucketIn, bucketOf, firstBucket, historyOf, type Span, totalsOf } from './history.ts'
import type { Row } from './row.ts'
import { selectRows } from './selection.ts'
import type { Sources } from './sources.ts'
import type { History, Message, Second } from './wire.ts'

/** Seconds after which the rows that refused most are chosen anew, when there are too many to show. */
const chosenSeconds = 15
const mostBuckets = 30

/** The messages to all clients with the same span and rows: each text is made once. */
export class Feed {
  readonly span: Span
  readonly all: boolean
  readonly clients: Set<Client> = new Set()
  readonly #sources: Sources
  #rows: readonly Row[] = []
  #version = -1
  #epoch = -1
  #chosenSecond = Number.NEGATIVE_INFINITY
  /** The rows differ from those that were sent. */
  #othersShown = false
  readonly #sent = new Map<Message['event'], string>()

  constructor(sources: Sources, span: Span, all: boolean) {
    this.#sources = sources
    this.span = span
    this.all = all
  }

  /** Sends what has changed since the last call; `fromSecond` is the first changed second, undefined for none. */
  tell(fromSecond: number | undefined): void {
    const { epoch } = this.#sources.board
    if (epoch !== this.#epoch) for (const client of this.clients) client.fallBehind()
    this.#epoch = epoch
    this.#chooseRows()
    const texts =
      this.#othersShown || this.#isFarBack(fromSecond) ? this.#rowsText() : this.#secondTexts(fromSecond)
    this.#othersShown = false
    const text = texts + this.#newsAround()
    for (const client of this.#willing()) if (!client.behind) client.write(text)
    this.catchUp()
    // Keeps the connections of clients that still wait for the past.
    const sign = eventText(this.#sources.store())
    for (const client of this.#willing()) if (client.behind) client.waitOn(sign)
  }

  /** Sends everything to clients that have just come, or have fallen behind. */
  catchUp(): void {
    if (!this.#sources.covers(this.span.seconds)) return
    const late = this.#willing().filter((client) => client.behind)
    if (late.length === 0) return
    this.#chooseRows()
    const text = this.#rowsText() + this.#around().map(eventText).join('')
    for (const client of late) {
      client.write(text)
      client.caughtUp()
    }
  }

  #willing(): readonly Client[] {
    const nowMs = this.#sources.monotonicMs()
    return [...this.clients].filter((client) => client.takesMore(nowMs))
  }

  #chooseRows(): void {
    const { board } = this.#sources
    if (this.#version === board.version && board.lastSecond < this.#chosenSecond + chosenSeconds) return
    const rows = selectRows(board, this.#sources.order, { seconds: this.span.seconds, all: this.all })
    const same =
      this.#version === board.version &&
      rows.length === this.#rows.length &&
      rows.every((row, i) => row === this.#rows[i])
    this.#rows = rows
    this.#version = board.version
    this.#chosenSecond = board.lastSecond
    if (!same) this.#othersShown = true
  }

  /** From this many buckets on the whole is shorter. */
  #isFarBack(fromSecond: number | undefined): boolean {
    if (fromSecond === undefined) return false
    return (this.#sources.board.lastSecond - fromSecond) / this.span.stepSeconds > mostBuckets
  }

  #rowsText(): string {
    const rows = this.#rows.map((row) => row.facts)
    const count = rows.length === 0 ? 0 : this.#sources.board.count
    return eventText({ event: 'rows', rows, count }) + eventText(this.#history())
  }

  #history(): History {
    const { board } = this.#sources
    const { stepSeconds } = this.span
    const last = board.lastSecond
    const rows = Object.fromEntries(this.#rows.map((row) => [row.id, historyOf(row, last, this.span)]))
    const fromSecond = firstBucket(last, this.span)
    return { event: 'history', fromSecond, stepSeconds, rows, ...this.#whole() }
  }

  #secondTexts(fromSecond: number | undefined): string {
    if (fromSecond === undefined) return ''
    const { lastSecond } = this.#sources.board
    const { span } = this
    const first = Math.max(bucketOf(fromSecond, span), firstBucket(lastSecond, span))
    const whole = this.#whole()
    let texts = ''
    for (let from = first; from <= lastSecond; from += span.stepSeconds) {
      texts += eventText({
        event: 'second',
        nowMs: Math.floor(this.#sources.nowMs()),
        fromSecond: from,
        rows: this.#bucket(from),
        ...whole,
      })
    }
    return texts
  }

  #bucket(from: number): Second['rows'] {
    const { lastSecond } = this.#sources.board
    const to = Math.min(from + this.span.stepSeconds - 1, lastSecond)
    const buckets = this.#rows.map((row) => [row.id, bucketIn(row, from, to)] as const)
    const shown = buckets.filter(
      ([, { inWindow, admitted, refused }]) => inWindow > 0 || admitted > 0 || refused > 0,
    )
    return Object.fromEntries(shown)
  }

  #whole(): Pick<History, 'totals' | 'outages' | 'edges'> {
    const { board, keys, outages } = this.#sources
    const fromSecond = board.lastSecond + 1 - this.span.seconds
    return {
      totals: { ...totalsOf(board, this.#rows, this.span), keysAtLimit: keys.atLimit() },
      outages: outages(fromSecond),
      edges: edgesOf(this.#rows, fromSecond),
    }
  }

  /** The numbers around the charts. */
  #around(): readonly Message[] {
    const sources = this.#sources
    return [sources.keysIn(this.span), sources.store(), sources.happened()]
  }

  /** Those of them that differ from what was sent last. */
  #newsAround(): string {
    let texts = ''
    for (const message of this.#around()) {
      const text = eventText(message)
      if (this.#sent.get(message.event) !== text) texts += text
      this.#sent.set(message.event, text)
    }
    return texts
  }
}

function edgesOf(rows: readonly Row[], fromSecond: number): History['edges'] {
  const edges = rows.map((row) => [row.id, row.edgesSince(fromSecond)] as const)
  return Object.fromEntries(edges.filter(([, ends]) => ends.length > 0))
}
