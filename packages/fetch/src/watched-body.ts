interface Watcher {
  /** Called once: the body was read to its end, or broken off. */
  end(aborted: boolean): void
}

/** A body that tells when it is over. */
class WatchedBody {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #watcher: Watcher

  constructor(body: ReadableStream<Uint8Array>, watcher: Watcher) {
    this.#reader = body.getReader()
    this.#watcher = watcher
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    try {
      const { done, value } = await this.#reader.read()
      if (!done) return controller.enqueue(value)
      controller.close()
    } catch (error) {
      this.#watcher.end(true)
      throw error
    }
    this.#watcher.end(false)
  }

  async cancel(reason: unknown): Promise<void> {
    this.#watcher.end(true)
    await this.#reader.cancel(reason)
  }
}

/** The same response; its watcher hears of the end of its body. */
export function watched(response: Response, body: ReadableStream<Uint8Array>, watcher: Watcher): Response {
  // Nothing is read ahead: the last chunk is asked for when all before it have been sent.
  const stream = new ReadableStream(new WatchedBody(body, watcher), { highWaterMark: 0 })
  return new Response(stream, response)
}
