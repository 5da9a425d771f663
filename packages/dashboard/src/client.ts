import type { ServerResponse } from 'node:http'

/** Bytes that may wait for a client before it counts as slow. */
const maxWaitingBytes = 64 * 1024
/** How long a slow client may take to read what it was sent. */
const maxSlowMs = 30_000

/** One open page. Messages that a slow page misses are not kept: it gets the whole state once it has caught up. */
export class Client {
  readonly #response: ServerResponse
  /** Since when the client has not read what was sent. */
  #slowSinceMs: number | undefined
  #behind = true
  #waits = false

  constructor(response: ServerResponse) {
    this.#response = response
  }

  /** Whether the client needs the whole state. */
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
  keepAlive(heartbeat: string): void {
    if (this.#waits) this.write(heartbeat)
    this.#waits = true
  }

  /** Whether the client can take more. Disconnects a client that reads nothing for too long. */
  takesMore(nowMs: number): boolean {
    if (this.#response.writableLength <= maxWaitingBytes) {
      this.#slowSinceMs = undefined
      return true
    }
    this.#behind = true
    this.#slowSinceMs ??= nowMs
    if (nowMs - this.#slowSinceMs > maxSlowMs) this.#response.destroy()
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
