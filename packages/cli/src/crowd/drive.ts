import { setMaxListeners } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { maxAtOnce } from './endpoint-client.ts'
import type { Ask } from './plan.ts'

export interface Drive {
  /** Sends one client's request and waits for the answer. */
  ask(visitor: string): Promise<void>
  /** Time since the test began. */
  elapsedMs(): number
  /** After this time no requests are sent. */
  readonly endMs: number
  /** Aborted: no more requests are sent. */
  readonly signal: AbortSignal
}

/** Sends each request at its time; resolves, when all are answered, to the number of requests that could not be sent in time. */
export async function drive(asks: readonly Ask[], { ask, elapsedMs, endMs, signal }: Drive): Promise<number> {
  // Each worker takes the next request, waits for its time, and sends it.
  setMaxListeners(maxAtOnce, signal)
  const waiting = asks.values()
  let sent = 0
  async function worker(): Promise<void> {
    for (const { atMs, visitor } of waiting) {
      // A timer may be early.
      for (let leftMs = atMs - elapsedMs(); leftMs > 0 && !signal.aborted; leftMs = atMs - elapsedMs())
        await setTimeout(Math.ceil(leftMs), undefined, { signal }).catch(() => {})
      if (signal.aborted || elapsedMs() > endMs) return
      sent++
      await ask(visitor)
    }
  }
  await Promise.all(Array.from({ length: maxAtOnce }, worker))
  return asks.length - sent
}
