import { type Spread, spreadOf } from '../rounds.ts'
import { type Asked, keyOf } from './fill.ts'

export interface Latency {
  /** In milliseconds. */
  readonly median: Spread
  readonly most: Spread
  /** Round by round, to those of the empty cluster. */
  readonly ofEmpty: Spread
}

const checks = 400

/** One check at a time on random keys, in turns with an empty cluster. */
export async function latencyBeside(
  full: Asked,
  other: Asked,
  { keys, rounds }: { readonly keys: number; readonly rounds: number },
): Promise<Latency> {
  const found: { median: number; most: number; ratio: number }[] = []
  for (let round = 0; round < rounds; round++) {
    const isFirst = round % 2 === 0
    const one = await turn(isFirst ? full : other, keys)
    const two = await turn(isFirst ? other : full, keys)
    const [ofFull, ofOther] = isFirst ? [one, two] : [two, one]
    found.push({ ...ofFull, ratio: ofFull.median / ofOther.median })
  }
  return {
    median: spreadOf(found.map(({ median }) => median)),
    most: spreadOf(found.map(({ most }) => most)),
    ofEmpty: spreadOf(found.map(({ ratio }) => ratio)),
  }
}

async function turn(limiter: Asked, keys: number): Promise<{ median: number; most: number }> {
  const times: number[] = []
  for (let i = 0; i < checks; i++) {
    const startedMs = performance.now()
    await limiter.check(keyOf(Math.floor(Math.random() * keys)))
    times.push(performance.now() - startedMs)
  }
  times.sort((a, b) => a - b)
  return { median: times[checks / 2] ?? 0, most: times[Math.floor(checks * 0.99)] ?? 0 }
}
