import type { Lane } from '../turns.ts'
import { type Asked, keyOf } from './fill.ts'

const checks = 400

/** One check at a time on random keys: what the middle one takes, and the slowest but for one in a hundred. */
export function latencyLane(name: string, limiter: Asked, keys: number): Lane<'medianMs' | 'p99Ms'> {
  return {
    name,
    async turn() {
      const times: number[] = []
      for (let i = 0; i < checks; i++) {
        const startedMs = performance.now()
        await limiter.check(keyOf(Math.floor(Math.random() * keys)))
        times.push(performance.now() - startedMs)
      }
      times.sort((a, b) => a - b)
      return { medianMs: times[checks / 2] ?? 0, p99Ms: times[Math.floor(checks * 0.99)] ?? 0 }
    },
  }
}
