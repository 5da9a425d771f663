import { storeError } from '@sluice/core/internal'

/** Calls back once, after a time; returns a function that cancels it. */
export type Timer = (ms: number, callback: () => void) => () => void

/** Does not keep the process alive. */
export const realTimer: Timer = (ms, callback) => {
  const timer = setTimeout(callback, ms)
  timer.unref()
  return () => clearTimeout(timer)
}

/** Sluice's own sinks give up sooner. */
const maxWriteMs = 5000

/** The promise's own outcome, or a StoreError once a sink has had its time. */
export function inTime<T>(
  promise: Promise<T>,
  { timer, sink }: { readonly timer: Timer; readonly sink: string },
): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = timer(maxWriteMs, () => reject(storeError(sink, `no answer within ${maxWriteMs} ms`)))
    promise.finally(cancel).then(resolve, reject)
  })
}
