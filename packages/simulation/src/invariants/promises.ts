import type { StrategyPlan } from '../history/plan.ts'

/** Units that passed. */
export interface Admission {
  /** The instant at which they were counted. */
  readonly atUs: number
  /** When their caller went on: the way of a reply makes that later than the server assumes. */
  readonly passedUs: number
  readonly units: number
}

/** How much the interval between two units may be rounded, for each unit. */
const roundingUs = 1

/** The most units that may pass in a span of time, by the strategy's page. */
function mostIn(plan: StrategyPlan, spanUs: number): number {
  const within = (limit: number, windowMs: number) =>
    spanUs < windowMs * 1000 ? limit : Number.POSITIVE_INFINITY
  switch (plan.strategy) {
    case 'slidingWindowLog':
      return within(plan.limit, plan.windowMs)
    case 'slidingWindowCounter':
      return within(2 * plan.limit - 1, plan.windowMs)
    case 'fixedWindow':
    case 'attributedWindow':
    case 'fairShare':
      return within(2 * plan.limit, plan.windowMs)
    case 'multiWindow':
      return Math.min(...plan.limits.map(([limit, windowMs]) => within(limit, windowMs)))
    case 'uniform':
      return within(1, plan.intervalMs)
    case 'gcra':
      return plan.burst + 1 + flowIn(plan, spanUs)
    case 'tokenBucket':
    case 'leakyBucket':
      return plan.capacity + flowIn(plan, spanUs)
    case 'concurrency':
      return Number.POSITIVE_INFINITY
  }
}

function flowIn({ count, periodMs }: { count: number; periodMs: number }, spanUs: number): number {
  const perUnitUs = (periodMs * 1000) / count
  return spanUs / (perUnitUs - roundingUs)
}

/**
 * Finds a span in which more than `times` the strategy's most has passed; instants are known to `slackUs`, and `extra` units may pass at
 * any time. A bucket was empty at `emptyUs`. Every span that begins and ends with an admission is checked, by when units were counted and
 * by when their callers went on: the replies to two callers take different times, so these may pass closer together than a server let them.
 */
export function tooMany(
  plan: StrategyPlan,
  admissions: readonly Admission[],
  {
    times,
    slackUs,
    extra,
    emptyUs,
  }: { times: number; slackUs: number; extra: number; emptyUs: number | undefined },
): string | undefined {
  const inOrder = [...admissions].sort((a, b) => a.atUs - b.atUs)
  if (plan.strategy === 'tokenBucket' && emptyUs !== undefined) {
    let units = 0
    for (const { atUs, passedUs, units: more } of inOrder) {
      units += more
      const most = flowIn(plan, Math.max(atUs, passedUs) - emptyUs + slackUs)
      if (units > times * most + extra + 1e-9)
        return `${units} units until ${atUs} of a bucket that was empty at ${emptyUs}, at most ${times} times ${most}`
    }
  }
  for (let from = 0; from < inOrder.length; from++) {
    const fromUs = inOrder[from]?.atUs ?? 0
    let units = 0
    let [firstUs, lastUs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    for (let to = from; to < inOrder.length; to++) {
      const last = inOrder[to]
      if (last === undefined) continue
      units += last.units
      firstUs = Math.min(firstUs, last.passedUs)
      lastUs = Math.max(lastUs, last.passedUs)
      const most = mostIn(plan, Math.max(last.atUs - fromUs, lastUs - firstUs) + slackUs)
      if (most === Number.POSITIVE_INFINITY) break
      if (units > times * most + extra + 1e-9)
        return `${units} units from ${fromUs} to ${last.atUs}, at most ${times} times ${most}`
    }
  }
  return undefined
}
