import { setMaxListeners } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { mostAtOnce } from './endpoint-client.ts'
import type { Ask } from './plan.ts'

export interface Drive {
  /** One client asks and hears. */
  ask(visitor: string): Promise<void>
  /** Since the test began. */
  elapsedMs(): number
  /** From then on nobody sets out. */
  readonly endMs: number
  /** Nor once this is aborted. */
  readonly signal: AbortSignal
}

/** Lets each client ask when it is time, and resolves when all have heard: to how many could not set out. */
export async function drive(asks: readonly Ask[], { ask, elapsedMs, endMs, signal }: Drive): Promise<number> {
  // So many lanes take turns: each takes the next client, waits for its time, and asks.
  setMaxListeners(mostAtOnce, signal)
  const waiting = asks.values()
  let sent = 0
  async function lane(): Promise<void> {
    for (const { atMs, visitor } of waiting) {
      // A timer may be early.
      for (let leftMs = atMs - elapsedMs(); leftMs > 0 && !signal.aborted; leftMs = atMs - elapsedMs())
        await setTimeout(Math.ceil(leftMs), undefined, { signal }).catch(() => {})
      if (signal.aborted || elapsedMs() > endMs) return
      sent++
      await ask(visitor)
    }
  }
  await Promise.all(Array.from({ length: mostAtOnce }, lane))
  return asks.length - sent
}
