import { memoryStore, type Policy } from '@sluice/core'
import { usedHeapBytes } from './heap-used.ts'
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

/** With the texts of the keys, which the store alone keeps alive, as in a server. */
async function bytesPerKey(make: () => Promise<Hold>): Promise<number> {
  const before = usedHeapBytes()
  const hold = await make()
  for (const key of keysOf(count)) hold(key)
  const used = usedHeapBytes() - before
  hold('') // keeps it alive until here
  return used / count
}

const make = subjects[process.argv[2] ?? '']
if (make === undefined || globalThis.gc === undefined)
  throw new Error('heap.ts starts this, with --expose-gc.')
const warm = await make()
for (const key of keysOf(1000)) warm(key)
console.log(await bytesPerKey(make))
