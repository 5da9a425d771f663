interface Watcher {
  /** Called once: the platform asks for the first piece. */
  begin(): void
  /** Called once: the body was read to its end, or broken off. */
  end(aborted: boolean): void
}

type Controller = ReadableStreamDefaultController<Uint8Array>

/** The most bytes that are handed over at once: of a longer piece it could not be seen how much was taken. */
const mostBytes = 1 << 16

/** A body that tells how far it was read, and when it is over. */
export class WatchedBody {
  /** Whether nothing was asked for yet, or a piece was handed over and none behind it asked for: the platform waits for its client. */
  waits = true
  /** How often a piece was asked for, the first one or one behind another. */
  taken = 0
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #watcher: Watcher
  #begun = false
  /** The rest of a longer piece. */
  #rest: Uint8Array | undefined

  constructor(body: ReadableStream<Uint8Array>, watcher: Watcher) {
    this.#reader = body.getReader()
    this.#watcher = watcher
  }

  async pull(controller: Controller): Promise<void> {
    if (!this.#begun) this.#watcher.begin()
    this.#begun = true
    if (this.waits) this.taken++
    this.waits = false
    if (this.#rest !== undefined) return this.#hand(this.#rest, controller)
    try {
      const { done, value } = await this.#reader.read()
      if (!done) return this.#hand(value, controller)
      controller.close()
    } catch (error) {
      this.#watcher.end(true)
      throw error
    }
    this.#watcher.end(false)
  }

  /** Hands a piece over. If it is no bytes, the platform refuses it. */
  #hand(piece: Uint8Array, controller: Controller): void {
    const isLong = ArrayBuffer.isView(piece) && piece.byteLength > mostBytes
    this.#rest = isLong ? piece.subarray(mostBytes) : undefined
    this.waits = true
    controller.enqueue(isLong ? piece.subarray(0, mostBytes) : piece)
  }

  async cancel(reason: unknown): Promise<void> {
    this.#watcher.end(true)
    await this.#reader.cancel(reason)
  }
}

/** The same response, whose body is watched. */
export function watched(response: Response, body: WatchedBody): Response {
  // Nothing is read ahead: the last chunk is asked for when all before it have been sent.
  return new Response(new ReadableStream(body, { highWaterMark: 0 }), response)
}
