import { memoryStore, type Policy } from '@sluice/core'
import { prepared } from './memory.ts'
import { keysOf, wide } from './policies.ts'

const count = 100_000

type Hold = (key: string) => void

async function inMap(): Promise<Hold> {
  const counts = new Map<string, number>()
  return (key) => {
    counts.set(key, 1)
  }
}

async function inStore(policy: Policy): Promise<Hold> {
  const { check, question } = await prepared(policy)
  const store = memoryStore()
  return (key) => {
    check.key = key
    void store.answer(question)
  }
}

const subjects: { readonly [name: string]: () => Promise<Hold> } = {
  map: inMap,
  counter: () => inStore(wide.counter),
  gcra: () => inStore(wide.gcra),
}

/** Typed arrays lie outside the heap and count as well. */
function usedBytes(): number {
  // What is found dead in one round can keep something else alive until the next.
  for (let i = 0; i < 4; i++) globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** With the texts of the keys, which the store alone keeps alive, as in a server. */
async function bytesPerKey(make: () => Promise<Hold>): Promise<number> {
  const before = usedBytes()
  const hold = await make()
  for (const key of keysOf(count)) hold(key)
  const used = usedBytes() - before
  hold('') // keeps it alive until here
  return used / count
}

const make = subjects[process.argv[2] ?? '']
if (make === undefined || globalThis.gc === undefined)
  throw new Error('heap.ts starts this, with --expose-gc.')
const warm = await make()
for (const key of keysOf(1000)) warm(key)
console.log(await bytesPerKey(make))
