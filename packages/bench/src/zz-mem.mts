import { memoryStore } from '@sluice/core'
import { questionOf } from './memory.ts'
import { keysOf, wide } from './policies.ts'
const n = Number(process.argv[2] ?? 10000)
const store = memoryStore()
const policy = process.argv[3] === 'gcra' ? wide.gcra : wide.counter
const made = keysOf(n)
const keys = made.map((_, i) => made[(i * 7919) % n] ?? '')
const q = questionOf(policy, '')
const qs = [q]
const check = q.checks[0] as any
let at = 0
const m = new Map<string, number>()
for (let r = 0; r < 12; r++) {
  let t = performance.now()
  const N = 1e6
  for (let i = 0; i < N; i++) { check.key = keys[at]!; store.decide(qs); at = at + 1 === n ? 0 : at + 1 }
  const a = performance.now() - t
  t = performance.now()
  for (let i = 0; i < N; i++) { const k = keys[at]!; m.set(k, (m.get(k) ?? 0) + 1); at = at + 1 === n ? 0 : at + 1 }
  const b = performance.now() - t
  if (r > 2) console.log((a / N * 1e6).toFixed(0), 'ns', (b / N * 1e6).toFixed(0), 'ns map', (b / a).toFixed(3))
}
