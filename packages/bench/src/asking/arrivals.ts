/** Asks for each of the items once, a number of them at a time. */
export async function inOrder<T>(
  items: readonly T[],
  atOnce: number,
  ask: (item: T) => Promise<void>,
): Promise<void> {
  let at = 0
  async function askNext(): Promise<void> {
    while (at < items.length) {
      const item = items[at++]
      if (item !== undefined) await ask(item)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, askNext))
}

export interface Latencies {
  readonly medianUs: number
  readonly p99Us: number
  /** How long an event of this process would have waited for its turn. */
  readonly loopP99Us: number
}

/** How requests arrive: one independent of the other, evenly, or as many at once. */
export type Arrivals = 'at random' | 'evenly' | { readonly atOnce: number }

export interface Rate {
  readonly perSecond: number
  readonly turnMs: number
  /** @default 'at random' */
  readonly arrivals?: Arrivals
  /** For so long before the turn requests are not measured. @default 0 */
  readonly leadMs?: number
}

/** The process has slept through the turns of the others, so that its first requests find nothing in caches. */
export const leadMs = 50

/** Instants in ms at which requests arrive, the same in every run. */
function arrivalTimes({ perSecond, turnMs, arrivals = 'at random' }: Rate): Float64Array {
  const count = Math.ceil((perSecond * turnMs) / 1000)
  if (arrivals === 'at random') return randomTimes(perSecond, count)
  const atOnce = arrivals === 'evenly' ? 1 : arrivals.atOnce
  return Float64Array.from({ length: count }, (_, i) => ((i - (i % atOnce)) * 1000) / perSecond)
}

function randomTimes(perSecond: number, count: number): Float64Array {
  const times = new Float64Array(count)
  let seed = 1
  let atMs = 0
  for (let i = 0; i < times.length; i++) {
    seed = (seed * 48_271) % 2_147_483_647
    atMs -= (Math.log(seed / 2_147_483_647) * 1000) / perSecond
    times[i] = atMs
  }
  return times
}

/** How often the event loop is looked at. */
const lookEveryMs = 1

/**
 * Requests that arrive at a given rate, whether those before them have been answered or not. Each is timed from the instant at
 * which it was due, so that one that had to wait for the process is not taken for a short one.
 */
export function latencies(
  rate: Rate,
  ask: (i: number) => Promise<boolean>,
): Promise<Latencies & { readonly wrong: number }> {
  const { leadMs = 0, turnMs } = rate
  const dueMs = arrivalTimes({ ...rate, turnMs: leadMs + turnMs })
  const leading = dueMs.findIndex((atMs) => atMs >= leadMs)
  const delaysUs: number[] = []
  const tookUs = new Float64Array(dueMs.length)
  return new Promise((resolve) => {
    const startedAt = performance.now()
    let asked = 0
    let answered = 0
    let wrong = 0
    async function askOne(i: number): Promise<void> {
      const right = await ask(i).catch(() => false)
      tookUs[i] = (performance.now() - startedAt - (dueMs[i] ?? 0)) * 1000
      if (!right) wrong++
      if (++answered < dueMs.length) return
      const loop = quantiles(Float64Array.from(delaysUs.slice(leadMs / lookEveryMs)))
      resolve({ ...quantiles(tookUs.subarray(leading)), loopP99Us: loop.p99Us, wrong })
    }
    function look(): void {
      const nowMs = performance.now() - startedAt
      for (let dueAt = delaysUs.length * lookEveryMs; dueAt <= nowMs; dueAt += lookEveryMs)
        delaysUs.push((nowMs - dueAt) * 1000)
      while (asked < dueMs.length && (dueMs[asked] ?? 0) <= nowMs) void askOne(asked++)
      if (asked < dueMs.length) setImmediate(look)
    }
    look()
  })
}

function quantiles(tookUs: Float64Array): Omit<Latencies, 'loopP99Us'> {
  tookUs.sort()
  const at = (share: number) => tookUs[Math.floor(share * (tookUs.length - 1))] ?? Number.NaN
  return { medianUs: at(0.5), p99Us: at(0.99) }
}
