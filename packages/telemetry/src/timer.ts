import { storeError } from '@sluice/core/internal'

/** Rings once, after so long; the answer calls it off. */
export type Timer = (ms: number, ring: () => void) => () => void

/** Keeps no process alive. */
export const realTimer: Timer = (ms, ring) => {
  const timer = setTimeout(ring, ms)
  timer.unref()
  return () => clearTimeout(timer)
}

/** The promise's own outcome, or a StoreError after so long. */
export function within<T>(
  promise: Promise<T>,
  { ms, timer, sink }: { readonly ms: number; readonly timer: Timer; readonly sink: string },
): Promise<T> {
  return new Promise((resolve, reject) => {
    const callOff = timer(ms, () => reject(storeError(sink, `no answer within ${ms} ms`)))
    promise.finally(callOff).then(resolve, reject)
  })
}
