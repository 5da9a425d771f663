import { memoryStore, type Policy } from '@sluice/core'
import { questionOf } from './memory.ts'
import { keysOf, wide } from './policies.ts'

/** Started with --expose-gc by heap.ts: prints how many bytes each of 100,000 keys takes. */
const count = 100_000

type Holder = (key: string, i: number) => void

function mapHolder(): Holder {
  const counts = new Map<string, number>()
  return (key) => {
    counts.set(key, 1)
  }
}

function storeHolder(policy: Policy): Holder {
  const store = memoryStore()
  return (key) => {
    store.decide([questionOf(policy, key)])
  }
}

const subjects: { readonly [name: string]: () => Holder } = {
  map: mapHolder,
  counter: () => storeHolder(wide.counter),
  gcra: () => storeHolder(wide.gcra),
}

/** Typed arrays lie outside the heap and count as well. */
function usedBytes(): number {
  for (let i = 0; i < 4; i++) globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

function bytesPerKey(make: () => Holder, keys: readonly string[]): number {
  const before = usedBytes()
  const hold = make()
  for (const [i, key] of keys.entries()) hold(key, i)
  const used = usedBytes() - before
  hold(keys[0] ?? '', 0)
  return used / keys.length
}

const make = subjects[process.argv[2] ?? '']
if (make === undefined || globalThis.gc === undefined) throw new Error('Started by heap.ts only.')
const warm = make()
for (const [i, key] of keysOf(1000).entries()) warm(key, i)
console.log(bytesPerKey(make, keysOf(count)))
