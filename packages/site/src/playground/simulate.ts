import { type Clock, createLimiter, memoryStore, type Policy } from '@sluice/core'
import { pictures } from '@sluice/core/internal'
import { policyFrom } from '@sluice/core/strategies'
import type { Arrival, Arrivals, Axis } from './arrival.ts'
import { isShared } from './policy.ts'

/** How one request was answered. */
export interface Answer {
  readonly allowed: boolean
  readonly remaining: number
  /** ms; null if it was admitted, or if waiting never helps. */
  readonly retryAfterMs: number | null
  readonly resetAfterMs: number
  /** How long it waits for its turn before it is admitted. */
  readonly waitMs: number
}

/** One policy, asked about all requests in their order. */
export interface Run {
  readonly picture: pictures.Picture
  readonly answers: readonly Answer[]
  /** What is left at the end of each bucket; null where there are several keys. */
  readonly left: readonly number[] | null
  /** Requests in flight at most, by bucket; null for strategies that do not count them. */
  readonly inFlight: readonly number[] | null
  /** All keys have one count. */
  readonly isShared: boolean
  /** A request may wait for its turn. */
  readonly waits: boolean
}

interface Times {
  /** How long each admitted request is in flight. @default 1000 */
  readonly holdMs?: number
  /** How long a request waits for its turn, where the policy can make it wait. @default 0 */
  readonly maxWaitMs?: number
}

const silent = { warn() {}, error() {} }

/** Throws an OptionError for a policy that cannot be. */
export async function simulate(
  data: { readonly strategy: string; readonly [option: string]: unknown },
  { arrivals, axis }: Arrivals,
  { holdMs = 1000, maxWaitMs = 0 }: Times = {},
): Promise<Run> {
  // Reserved only where it can be: see `waits`.
  const policy = policyFrom(data) as Policy<'reserve'>
  const picture = pictures.pictureOf(policy)
  let nowUs = axis.fromUs
  const clock: Clock = { nowUs: () => nowUs }
  const limiter = createLimiter({ policy, store: memoryStore({ clock }), logger: silent })
  const answers: Answer[] = []
  const left: number[] = []
  const held: { readonly untilUs: number; release(): Promise<void> }[] = []
  const isInFlight = picture.shape === 'in-flight'
  const key = oneKey(arrivals)
  const shared = isShared(data.strategy)
  const waits = maxWaitMs > 0 && 'reserve' in policy.can

  async function leftFor(one: string): Promise<number> {
    return (await limiter.peek(shared ? 'all' : one, { cost: 0, note: one })).remaining
  }

  /** Releases what has ended and notes what is left, each at its own time. */
  async function goTo(atUs: number): Promise<void> {
    for (;;) {
      const releaseUs = held[0]?.untilUs ?? Number.POSITIVE_INFINITY
      const endUs = axis.fromUs + (left.length + 1) * axis.stepUs
      if (Math.min(releaseUs, endUs) > atUs) break
      nowUs = Math.min(releaseUs, endUs)
      if (releaseUs <= endUs) await held.shift()?.release()
      else left.push(key === undefined ? 0 : await leftFor(key))
    }
    nowUs = atUs
  }

  for (const arrival of arrivals) {
    await goTo(arrival.atUs)
    const subject = shared ? 'all' : arrival.key
    const note = arrival.key
    const decision = waits
      ? await limiter.reserve(subject, { note, maxWait: maxWaitMs })
      : await limiter.check(subject, { note })
    const { allowed, remaining, retryAfterMs, resetAfterMs } = decision
    const waitMs = 'waitMs' in decision && allowed ? decision.waitMs : 0
    answers.push({ allowed, remaining, retryAfterMs, resetAfterMs, waitMs })
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
    isShared: shared,
    waits,
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
