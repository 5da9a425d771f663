import type { ServerResponse } from 'node:http'

/** Bytes that may wait for a client before it counts as slow. */
const mostWaiting = 64 * 1024
/** How long a slow client may take to read what it was sent. */
const patienceMs = 30_000

/** One page that listens. What a slow one misses is not kept for it: it is told the whole state once it has caught up. */
export class Client {
  readonly #response: ServerResponse
  /** Since when it has not read what it was sent. */
  #slowSinceMs: number | undefined
  /** It has to be told all. */
  behind = true

  constructor(response: ServerResponse) {
    this.#response = response
  }

  /** Whether it takes more now. One that reads nothing for long is let go. */
  takesMore(nowMs: number): boolean {
    if (this.#response.writableLength <= mostWaiting) {
      this.#slowSinceMs = undefined
      return true
    }
    this.behind = true
    this.#slowSinceMs ??= nowMs
    if (nowMs - this.#slowSinceMs > patienceMs) this.#response.destroy()
    return false
  }

  write(text: string): void {
    if (!this.#response.writableEnded && !this.#response.destroyed) this.#response.write(text)
  }

  end(): void {
    this.#response.end()
    // Whoever does not read does not see the end either.
    if (this.#response.writableLength > 0) this.#response.destroy()
  }
}
