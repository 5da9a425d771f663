import { memorySink, type Recorder, recorder, type Sink } from '@sluice/telemetry'

/** While pages are open, this process also counts in its own memory, which they show while the sink cannot be read. */
export class StandIn {
  readonly #recorder: Recorder
  #own: Recorder | undefined
  #unwatch: (() => void) | undefined

  constructor(recorder: Recorder) {
    this.#recorder = recorder
  }

  start(): void {
    this.#own ??= recorder(
      sinkAt(() => this.#recorder.nowMs()),
      { logger: silent },
    )
    this.#unwatch ??= this.#recorder.watch(this.#own)
  }

  stop(): void {
    this.#unwatch?.()
    this.#unwatch = undefined
    void this.#own?.close()
    this.#own = undefined
  }

  query: Recorder['query'] = async (query) => (await this.#own?.query(query)) ?? []
}

/** A memory sink with the recorder's clock. */
function sinkAt(nowMs: () => number): Sink {
  return Object.assign(memorySink({ retention: '15m' }), { nowMs })
}

const silent = { warn() {}, error() {} }
