import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from '@jest/globals'

/** Node's, unless the runtime has put one of its own there. */
function collector(): unknown {
  if (globalThis.gc !== undefined) return globalThis.gc
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc')
}

function collectGarbage(): void {
  const collect = collector()
  if (typeof collect === 'function') collect()
}

/** What lives on the heap once all else is collected. */
export function heapBytes(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

/** Fails where any of these is still held after thirty seconds. */
export async function expectCollected(objects: readonly WeakRef<object>[]): Promise<void> {
  const held = () => objects.filter((object) => object.deref() !== undefined).length
  const end = performance.now() + 30_000
  do {
    // A target that was looked at lives until the next turn.
    await new Promise((resolve) => setImmediate(resolve))
    collectGarbage()
  } while (held() > 0 && performance.now() < end)
  expect(held()).toBe(0)
}
