import { setFlagsFromString } from 'node:v8'

/**
 * Runs all promise callbacks that are due, and returns, in a tenth of the time of a turn of the real event loop. It is V8's own function,
 * which embedders call between two events. It does nothing where such callbacks run already, so a history is played from a real event.
 */
export const runMicrotasks: () => void = (() => {
  setFlagsFromString('--allow-natives-syntax')
  try {
    return new Function('%PerformMicrotaskCheckpoint()') as () => void // its text is above
  } finally {
    setFlagsFromString('--no-allow-natives-syntax')
  }
})()

/** Calls in a turn of the real event loop, outside of all promise callbacks. */
export function inOwnTurn<T>(call: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    setImmediate(() => {
      try {
        resolve(call())
      } catch (error) {
        reject(error)
      }
    })
  })
}
