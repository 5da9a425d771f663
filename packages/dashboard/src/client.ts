import type { ServerResponse } from 'node:http'

/** Bytes that may wait for a client before it counts as slow. */
const mostWaiting = 64 * 1024
/** How long a slow client may take to read what it was sent. */
const patienceMs = 30_000

/** One page that listens. What a slow one misses is not kept: it gets the whole state once it has caught up. */
export class Client {
  readonly #response: ServerResponse
  /** Since when it has not read what was sent. */
  #slowSinceMs: number | undefined
  #behind = true
  #waits = false

  constructor(response: ServerResponse) {
    this.#response = response
  }

  /** It needs the whole state. */
  get behind(): boolean {
    return this.#behind
  }

  fallBehind(): void {
    this.#behind = true
  }

  caughtUp(): void {
    this.#behind = false
    this.#waits = false
  }

  /** Keeps a connection alive that got nothing for a while. */
  waitOn(sign: string): void {
    if (this.#waits) this.write(sign)
    this.#waits = true
  }

  /** true when it can take more. Disconnects a client that reads nothing for too long. */
  takesMore(nowMs: number): boolean {
    if (this.#response.writableLength <= mostWaiting) {
      this.#slowSinceMs = undefined
      return true
    }
    this.#behind = true
    this.#slowSinceMs ??= nowMs
    if (nowMs - this.#slowSinceMs > patienceMs) this.#response.destroy()
    return false
  }

  write(text: string): void {
    if (!this.#response.writableEnded && !this.#response.destroyed) this.#response.write(text)
  }

  /** A client that does not read would not see the end either. */
  end(): void {
    if (this.#response.writableLength > 0) this.#response.destroy()
    else this.#response.end()
  }
}
