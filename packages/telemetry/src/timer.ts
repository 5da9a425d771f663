import { storeError } from '@sluice/core/internal'

/** Calls back once, after a time; returns a function that cancels it. */
export type Timer = (ms: number, callback: () => void) => () => void

/** Does not keep the process alive. */
export const realTimer: Timer = (ms, callback) => {
  const timer = setTimeout(callback, ms)
  timer.unref()
  return () => clearTimeout(timer)
}

/** The promise's own outcome, or a StoreError after `ms`. */
export function within<T>(
  promise: Promise<T>,
  { ms, timer, sink }: { readonly ms: number; readonly timer: Timer; readonly sink: string },
): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = timer(ms, () => reject(storeError(sink, `no answer within ${ms} ms`)))
    promise.finally(cancel).then(resolve, reject)
  })
}
