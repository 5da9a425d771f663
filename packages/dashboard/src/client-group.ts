import type { Client } from './client.ts'
import { eventText } from './event-text.ts'
import { bucketIn, bucketOf, firstBucket, historyOf, totalsOf } from './history.ts'
import type { Row } from './row.ts'
import { selectRows } from './selection.ts'
import type { Sources, View } from './sources.ts'
import type { History, Message, Second } from './wire.ts'

/** How often the rows that refused most are selected again, if there are too many to show. */
const chosenSeconds = 15
const maxBuckets = 30

/** All clients with the same span, rows and mask: each message is created once for the group. */
export class ClientGroup {
  readonly span: View
  readonly all: boolean
  readonly clients: Set<Client> = new Set()
  readonly #sources: Sources
  #rows: readonly Row[] = []
  #version = -1
  #epoch = -1
  #chosenSecond = Number.NEGATIVE_INFINITY
  /** Whether the rows differ from those that were sent. */
  #othersShown = false
  readonly #sent = new Map<Message['event'], string>()

  constructor(sources: Sources, span: View, all: boolean) {
    this.#sources = sources
    this.span = span
    this.all = all
  }

  /** Sends what has changed since the last call; `fromSecond` is the first changed second, undefined for none. */
  send(fromSecond: number | undefined): void {
    const { epoch } = this.#sources.board
    if (epoch !== this.#epoch) for (const client of this.clients) client.fallBehind()
    this.#epoch = epoch
    this.#chooseRows()
    const texts =
      this.#othersShown || this.#isFarBack(fromSecond) ? this.#rowsText() : this.#secondTexts(fromSecond)
    this.#othersShown = false
    const text = texts + this.#changedAround()
    for (const client of this.#ready()) if (!client.behind) client.write(text)
    this.catchUp()
    // Keeps connections alive while the past is still being read.
    const heartbeat = eventText(this.#sources.store())
    for (const client of this.#ready()) if (client.behind) client.keepAlive(heartbeat)
  }

  /** Sends everything to clients that are new or have fallen behind. */
  catchUp(): void {
    if (!this.#sources.covers(this.span.seconds)) return
    const late = this.#ready().filter((client) => client.behind)
    if (late.length === 0) return
    this.#chooseRows()
    const text = this.#rowsText() + this.#around().map(eventText).join('')
    for (const client of late) {
      client.write(text)
      client.caughtUp()
    }
  }

  #ready(): readonly Client[] {
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

  /** Whether so many buckets have changed that sending everything is shorter. */
  #isFarBack(fromSecond: number | undefined): boolean {
    if (fromSecond === undefined) return false
    return (this.#sources.board.lastSecond - fromSecond) / this.span.stepSeconds > maxBuckets
  }

  #rowsText(): string {
    const rows = this.#rows.map((row) => row.info)
    const { count, cut } = this.#sources.board
    return (
      eventText({ event: 'rows', rows, count: rows.length === 0 ? 0 : count, cut }) +
      eventText(this.#history())
    )
  }

  #history(): History {
    const { board } = this.#sources
    const { stepSeconds } = this.span
    const last = board.lastSecond
    const rows = Object.fromEntries(this.#rows.map((row) => [row.id, historyOf(board, row, this.span)]))
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
    const { board } = this.#sources
    const span = [from, from + this.span.stepSeconds - 1] as const
    const buckets = this.#rows.map((row) => [row.id, bucketIn(board, row, span)] as const)
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

  /** The messages besides the charts. */
  #around(): readonly Message[] {
    const sources = this.#sources
    return [sources.keysIn(this.span), sources.store(), sources.events(this.span.masked)]
  }

  /** The messages besides the charts that differ from those sent last. */
  #changedAround(): string {
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
