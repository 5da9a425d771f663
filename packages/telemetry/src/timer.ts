import { storeError } from '@sluice/core/internal'

/** Calls back once, after a time; returns a function that cancels it. */
export type Timer = (ms: number, callback: () => void) => () => void

/** A timer that does not keep the process alive. */
export const realTimer: Timer = (ms, callback) => {
  const timer = setTimeout(callback, ms)
  timer.unref()
  return () => clearTimeout(timer)
}

/** The most that a sink may take. Sluice's own sinks give up sooner by default. */
const maxWriteMs = 5000

/** Settles as the promise does, or rejects with a StoreError after `maxWriteMs`. */
export function inTime<T>(
  promise: Promise<T>,
  { timer, sink }: { readonly timer: Timer; readonly sink: string },
): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = timer(maxWriteMs, () => reject(storeError(sink, `no answer within ${maxWriteMs} ms`)))
    promise.finally(cancel).then(resolve, reject)
  })
}
