import type { Decision } from '@sluice/core'
import { decisions } from '@sluice/core/internal'
import { type Answer, isClosed, isEnded, isTakenOver, type Reply, type Source, whenClosed } from './ending.ts'
import { KeptWith } from './kept.ts'
import { addTo } from './lists-by-key.ts'
import { isBrokenOff, whenEnded, whenHandlerEnds } from './silent-ends.ts'
import type { Progress, Reading, SlowReaders } from './slow-readers.ts'

/** All works behind one response. */
const together = new KeptWith<Answer, Work[]>()

/**
 * The work behind a decision that holds places in flight. They are free when the handler is over and nobody can be answered any more,
 * or when the client has taken nothing of the answer for a time. A client that hangs up ends the response, not the handler.
 *
 * An adapter whose framework knows when a handler ends says so by `begin` and `end`. Else the handler is over when it has ended its
 * response, even one whose client has gone; from the client's leaving until then the leases are not renewed, so that they bound a
 * handler that never ends it. Where other code has taken the response over, such as a WebSocket's, the end of the response is the end
 * of the work, unless a handler is known to run.
 */
export class Work implements Reading {
  /** The framework's own reply, if it says whether other code has taken the response over. */
  reply: Reply | undefined
  readonly answer: Answer
  drained = false
  progress: Progress | undefined = undefined
  previous: Reading | undefined = undefined
  next: Reading | undefined = undefined
  readonly #decision: Decision
  readonly #readers: SlowReaders
  #closed = false
  #handled = false
  /** The stream that is piped into the response. */
  #source: Source | undefined
  #running = 0
  /** A handler may wait until its client has taken what was written. */
  #stuck = false
  /** Of the first work behind a response: its `write` there, and how many listened for `drain` by then. */
  #written: Answer['write'] = undefined
  #listeners = 0

  constructor(decision: Decision, raw: Answer, readers: SlowReaders) {
    this.#decision = decision
    this.answer = raw
    this.#readers = readers
    const works = addTo(together, raw, this)
    if (works !== undefined) this.#listen(works)
    readers.add(this)
    whenClosed(raw, () => this.#close())
  }

  #listen(works: readonly Work[]): void {
    const raw = this.answer
    const all = (tell: (work: Work) => void) => {
      for (const work of works) tell(work)
    }
    raw.on?.('pipe', (source) => {
      all((work) => work.#pipe(source))
      source.once('close', () => all((work) => work.#lose(source)))
    })
    raw.on?.('unpipe', () => all((work) => work.#unpipe()))
    raw.on?.('drain', () => all((work) => work.#drain()))
    const { write } = raw
    if (write !== undefined) {
      // A constant first: silent-ends.ts says why.
      const written: typeof write = (...given) => {
        const flows = write.apply(raw, given)
        all((work) => work.#write(flows))
        return flows
      }
      raw.write = written
      this.#written = written
    }
    this.#listeners = raw.listenerCount?.('drain') ?? 0
    whenHandlerEnds(raw, () => all((work) => work.sent()))
  }

  /** A handler runs, and `end` will follow. */
  begin(): void {
    this.#running++
    if (this.#closed) decisions.keepLeases(this.#decision)
  }

  /** `handled` false: the handler has returned before it has answered, so that only the response can say when it is over. */
  end(handled = true): void {
    this.#running--
    if (handled) this.#handled = true
    if (this.#closed) this.#leave()
  }

  /** The handler has handed its whole answer over: code that compresses it, or reads it from a stream, may not be done. */
  sent(): void {
    this.#handled = true
    if (this.#closed) this.#leave()
  }

  look(): void {
    // Of two ends Node says nothing: a connection that is reset while it ends is destroyed without `close`, and a request that was
    // answered before all of it had come never hears that the rest will not.
    const { req } = this.answer
    if (!req?.socket?.destroyed) return
    if (!this.#closed) this.#close()
    else if (isEnded(this.answer) && req.complete === false) this.#lapseWhereRunning()
  }

  /** Whether nothing but its client keeps the work: a stream that was piped into the response waits for the client as well. */
  get waitsForClient(): boolean {
    return this.#running === 0 && (this.#handled || this.#source !== undefined || isEnded(this.answer))
  }

  abandon(): void {
    void this.#decision.release()
  }

  /** A stream writes the answer, maybe behind another one. */
  #pipe(source: Source): void {
    // Without a client the stream is never asked for more, and is never unpiped.
    if (this.#closed) this.sent()
    else {
      if (this.#source?.destroyed) decisions.keepLeases(this.#decision)
      this.#source = source
    }
  }

  /** A stream that was piped into the response wrote it alone. On HTTP/2 it is unpiped a little before `close`. */
  #unpipe(): void {
    this.#source = undefined
    if (this.#closed || !isClosed(this.answer)) return
    this.sent()
    if (this.answer.stream !== undefined) this.#lapseWhereRunning()
  }

  /** `flows` false: `drain` will come, unless the client goes before. */
  #write(flows: boolean): void {
    this.#stuck = !flows
    if (this.#closed && !flows) this.#lapseWhereRunning()
  }

  /**
   * Whether code behind the limiter listens for `drain`, as `Writable.toWeb` does: it writes only as its client reads, so without a client
   * it writes no more. With `compression` this cannot be seen, as that listens for `drain` itself.
   */
  get #isPaced(): boolean {
    const raw = this.answer
    const [first = this] = together.get(raw) ?? []
    const isOurs = first.#listeners > 0 && first.#written === raw.write
    return isOurs && (raw.listenerCount?.('drain') ?? 0) > first.#listeners
  }

  #drain(): void {
    this.#stuck = false
    this.drained = true
  }

  /** A handler that still runs may wait for what never comes: messages, `drain`, or the end of a pipeline into a stream of HTTP/2. */
  #lapseWhereRunning(): void {
    if (this.#running === 0) return
    this.#readers.delete(this)
    decisions.lapseLeases(this.#decision)
  }

  #lose(source: Source): void {
    if (source === this.#source) this.lost()
  }

  /** A stream that breaks off leaves the response open, perhaps for ever: if no handler runs, the lease is no longer renewed. */
  lost(): void {
    if (this.#running === 0 && !isEnded(this.answer)) decisions.lapseLeases(this.#decision)
  }

  #close(): void {
    this.#closed = true
    const taken = isTakenOver(this.answer, this.reply)
    // On HTTP/2 nobody may unpipe a stream that was piped into the response.
    const piped = this.#source !== undefined
    if (taken || (piped && this.answer.stream !== undefined) || (this.#stuck && !piped))
      this.#lapseWhereRunning()
    if (taken || piped || this.#isPaced || isEnded(this.answer) || isBrokenOff(this.answer))
      this.#handled = true
    // A response that is ended without a client emits no `finish`.
    else whenEnded(this.answer, () => this.sent())
    this.#leave()
  }

  #leave(): void {
    if (this.#running > 0) return
    this.#readers.delete(this)
    if (this.#handled) void this.#decision.release()
    else decisions.lapseLeases(this.#decision)
  }
}
