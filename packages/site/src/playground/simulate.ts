import { type Clock, createLimiter, memoryStore } from '@sluice/core'
import { pictures } from '@sluice/core/internal'
import { policyFrom } from '@sluice/core/strategies'
import type { Arrival, Arrivals, Axis } from './arrival.ts'

/** How one request was answered. */
export interface Answer {
  readonly allowed: boolean
  readonly remaining: number
  /** ms; null if it was admitted, or if waiting never helps. */
  readonly retryAfterMs: number | null
  readonly resetAfterMs: number
}

/** One policy, asked about all requests in their order. */
export interface Run {
  readonly picture: pictures.Picture
  readonly answers: readonly Answer[]
  /** What is left at the end of each bucket; null where there are several keys. */
  readonly left: readonly number[] | null
  /** Requests in flight at most, by bucket; null for strategies that do not count them. */
  readonly inFlight: readonly number[] | null
}

const silent = { warn() {}, error() {} }

/** `holdMs`: how long each admitted request is in flight. Throws an OptionError for a policy that cannot be. */
export async function simulate(
  data: { readonly strategy: string; readonly [option: string]: unknown },
  { arrivals, axis }: Arrivals,
  holdMs = 1000,
): Promise<Run> {
  const policy = policyFrom(data)
  const picture = pictures.pictureOf(policy)
  let nowUs = axis.fromUs
  const clock: Clock = { nowUs: () => nowUs }
  const limiter = createLimiter({ policy, store: memoryStore({ clock }), logger: silent })
  const answers: Answer[] = []
  const left: number[] = []
  const held: { readonly untilUs: number; release(): Promise<void> }[] = []
  const isInFlight = picture.shape === 'in-flight'
  const key = oneKey(arrivals)

  /** Releases what has ended and notes what is left, each at its own time. */
  async function goTo(atUs: number): Promise<void> {
    for (;;) {
      const releaseUs = held[0]?.untilUs ?? Number.POSITIVE_INFINITY
      const endUs = axis.fromUs + (left.length + 1) * axis.stepUs
      if (Math.min(releaseUs, endUs) > atUs) break
      nowUs = Math.min(releaseUs, endUs)
      if (releaseUs <= endUs) await held.shift()?.release()
      else left.push(key === undefined ? 0 : (await limiter.peek(key, { cost: 0 })).remaining)
    }
    nowUs = atUs
  }

  for (const arrival of arrivals) {
    await goTo(arrival.atUs)
    const decision = await limiter.check(arrival.key)
    const { allowed, remaining, retryAfterMs, resetAfterMs } = decision
    answers.push({ allowed, remaining, retryAfterMs, resetAfterMs })
    if (allowed && isInFlight)
      held.push({ untilUs: nowUs + holdMs * 1000, release: () => decision.release() })
  }
  await goTo(axis.fromUs + axis.buckets * axis.stepUs)
  await limiter.close()
  return {
    picture,
    answers,
    left: key === undefined ? null : left.slice(0, axis.buckets),
    inFlight: isInFlight ? inFlightOf({ arrivals, answers }, axis, holdMs * 1000) : null,
  }
}

/** undefined if there are several. */
function oneKey(arrivals: readonly Arrival[]): string | undefined {
  const key = arrivals[0]?.key ?? 'bob'
  return arrivals.every((arrival) => arrival.key === key) ? key : undefined
}

function inFlightOf(
  { arrivals, answers }: { arrivals: readonly Arrival[]; answers: readonly Answer[] },
  { fromUs, stepUs, buckets }: Axis,
  holdUs: number,
): readonly number[] {
  const admitted = arrivals.filter((_, i) => answers[i]?.allowed)
  return Array.from({ length: buckets }, (_, bucket) => {
    const [beginUs, endUs] = [fromUs + bucket * stepUs, fromUs + (bucket + 1) * stepUs]
    const instants = [
      beginUs,
      ...admitted.map(({ atUs }) => atUs).filter((us) => us >= beginUs && us < endUs),
    ]
    const flying = (us: number): number =>
      admitted.filter(({ atUs }) => atUs <= us && us < atUs + holdUs).length
    return Math.max(...instants.map(flying))
  })
}
