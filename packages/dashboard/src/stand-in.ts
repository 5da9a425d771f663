import { memorySink, type Recorder, recorder, type Sink } from '@sluice/telemetry'

/** How long after the last failure its counts are of use to pages. */
const usefulMs = 15 * 60_000

/**
 * This process also counts in its own memory, which pages show while the sink cannot be read: while one is open, and from the first
 * failure of a store on, because most are opened after the alert.
 */
export class StandIn {
  readonly #recorder: Recorder
  #own: Recorder | undefined
  #unwatch: (() => void) | undefined
  #watched = false
  #failing: NodeJS.Timeout | undefined
  #fromSecond: number | undefined

  constructor(recorder: Recorder) {
    this.#recorder = recorder
  }

  /** Since when it counts, in seconds since 1970; undefined while it does not. */
  get fromSecond(): number | undefined {
    return this.#fromSecond
  }

  /** Called when a page is opened. */
  start(): void {
    this.#watched = true
    this.#count()
  }

  /** Called when no page is open any more. */
  stop(): void {
    this.#watched = false
    this.#rest()
  }

  /** Called when a store has failed, which a store that is away does again and again. */
  failed(): void {
    this.#count()
    if (this.#failing !== undefined) this.#failing.refresh()
    else this.#failing = setTimeout(() => this.#calm(), usefulMs).unref()
  }

  close(): void {
    this.#watched = false
    this.#calm()
  }

  #calm(): void {
    clearTimeout(this.#failing)
    this.#failing = undefined
    this.#rest()
  }

  #count(): void {
    if (this.#own !== undefined) return
    const nowMs = () => this.#recorder.nowMs()
    this.#fromSecond = Math.floor(nowMs() / 1000)
    this.#own = recorder(sinkAt(nowMs), { logger: silent })
    // This makes it read the recorder's clock now, before that goes on.
    void this.#own.flush()
    this.#unwatch = this.#recorder.watch(this.#own)
  }

  #rest(): void {
    if (this.#watched || this.#failing !== undefined) return
    this.#unwatch?.()
    void this.#own?.close()
    this.#own = undefined
    this.#fromSecond = undefined
  }

  query: Recorder['query'] = async (query) => (await this.#own?.query(query)) ?? []
}

/** A memory sink with the recorder's clock. */
function sinkAt(nowMs: () => number): Sink {
  return Object.assign(memorySink({ retention: '1h' }), { nowMs })
}

const silent = { warn() {}, error() {} }
