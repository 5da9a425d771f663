import { createLimiter, gcra } from '@sluice/core'
import { ownCpuUs } from './cpu-time.ts'
import { usedHeapBytes } from './heap-used.ts'

// Started by sleepers(): prints the bytes that one sleeper takes, and the share of a core that all of them use as they wake.
const count = 10_000

const limiter = createLimiter({ policy: gcra({ count: 1000, period: '1s', burst: 0 }), maxSleepers: 20_000 })
for (let i = 0; i < 100; i++) await limiter.wait('warm')

const before = usedHeapBytes()
let early = 0
let woken = 0
const startedAt = performance.now()
function woke({ waitMs }: { waitMs: number }): void {
  if (performance.now() - startedAt < waitMs) early++
  woken++
}
const sleeping = Array.from({ length: count }, () => limiter.wait('all').then(woke))
await new Promise((resolve) => setImmediate(resolve))
const bytes = (usedHeapBytes() - before) / (count - woken)

// The first second belongs to those who were put to sleep.
await new Promise((resolve) => setTimeout(resolve, 1000))
const from = { cpuUs: ownCpuUs(), atMs: performance.now() }
await Promise.all(sleeping)
const share = (ownCpuUs() - from.cpuUs) / 1000 / (performance.now() - from.atMs)
if (early > 0) throw new Error(`${early} sleepers woke early`)
console.log(JSON.stringify([bytes, share]))
