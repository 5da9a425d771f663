import { setTimeout as pause } from 'node:timers/promises'

/** Something that is measured by repeating it. */
export interface Contender {
  readonly name: string
  run(times: number): void | Promise<void>
}

export interface Pace {
  readonly rounds: number
  /** How long one contender's turn in a round takes. */
  readonly turnMs: number
}

/** What one contender showed, round by round. */
export interface Laps {
  readonly name: string
  readonly values: readonly number[]
}

/** The median of the rounds, and the quartiles around it. */
export interface Spread {
  readonly median: number
  readonly low: number
  readonly high: number
}

const disturbance = 'SLUICE_BENCH_DISTURBED'
const mostRepeats = 10

/** A turn that did not do what it is to measure, as something else held the machine up: it is repeated. */
export function disturbed(why: string): Error {
  return Object.assign(new Error(why), { code: disturbance })
}

export function isDisturbed(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === disturbance
}

export async function undisturbed<T>(turn: () => Promise<T>): Promise<T> {
  for (let repeats = 0; ; repeats++) {
    try {
      return await turn()
    } catch (error) {
      if (!isDisturbed(error)) throw error
      if (repeats === mostRepeats) throw new Error(`${error.message} Is the machine too busy?`)
      await pause(1000)
    }
  }
}

/**
 * Lets contenders take turns, in every round each once and in a new order: other load on the machine affects all alike, and
 * none always follows the same one.
 */
export async function race<C extends Contender>(
  contenders: readonly C[],
  { rounds, turnMs }: Pace,
  measure: (contender: C, times: number) => Promise<number> = perSecond,
): Promise<readonly Laps[]> {
  const entries: { contender: C; times: number; values: number[] }[] = []
  for (const contender of contenders) {
    entries.push({ contender, times: await undisturbed(() => warmUp(contender, turnMs)), values: [] })
  }
  for (let round = 0; round < rounds; round++) {
    for (const { contender, times, values } of shuffled(entries)) {
      values.push(await undisturbed(() => measure(contender, times)))
    }
  }
  return entries.map(({ contender, values }) => ({ name: contender.name, values }))
}

async function perSecond(contender: Contender, times: number): Promise<number> {
  return (times * 1000) / (await elapsedMs(contender, times))
}

export async function microsecondsEach(contender: Contender, times: number): Promise<number> {
  return ((await elapsedMs(contender, times)) * 1000) / times
}

async function elapsedMs(contender: Contender, times: number): Promise<number> {
  const startedAt = performance.now()
  await contender.run(times)
  return performance.now() - startedAt
}

/** Warms up; returns how many repetitions fill a turn. */
export async function warmUp(contender: Contender, turnMs: number): Promise<number> {
  let times = 256
  while ((await elapsedMs(contender, times)) < turnMs) times *= 2
  let most = 0
  // The largest: a pause of the machine would make every turn too short.
  for (let i = 0; i < 8; i++) most = Math.max(most, (times * turnMs) / (await elapsedMs(contender, times)))
  return Math.ceil(most)
}

export function shuffled<T>(entries: readonly T[]): readonly T[] {
  return entries
    .map((entry) => ({ entry, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ entry }) => entry)
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b)
  return { median: quantile(sorted, 0.5), low: quantile(sorted, 0.25), high: quantile(sorted, 0.75) }
}

/** Round by round: what slows one round slows both. */
export function ratioOf(laps: Laps, base: Laps): Spread {
  return spreadOf(laps.values.map((value, round) => value / (base.values[round] ?? Number.NaN)))
}

/** What one shows beyond another, round by round. */
export function above({ name, values }: Laps, base: Laps): Laps {
  return { name, values: values.map((value, round) => value - (base.values[round] ?? Number.NaN)) }
}

function quantile(sorted: readonly number[], share: number): number {
  const at = (sorted.length - 1) * share
  const below = sorted[Math.floor(at)] ?? Number.NaN
  const above = sorted[Math.ceil(at)] ?? Number.NaN
  return below + (above - below) * (at - Math.floor(at))
}
