import type { Random } from '../random.ts'
import type { CallPlan, PolicyPlan } from './plan.ts'

interface Counted {
  readonly policies: readonly PolicyPlan[]
  readonly calls: readonly CallPlan[]
  readonly scale: number
}

const without: readonly string[] = ['fairShare', 'uniform', 'concurrency']

/** In some histories all policies count tenths or hundredths, and most calls cost no whole amount. */
export function drawUnit(
  random: Random,
  policies: readonly PolicyPlan[],
  calls: readonly CallPlan[],
): Counted {
  const canHave = policies.every(({ strategy }) => !without.includes(strategy))
  if (!canHave || !random.chance(0.1)) return { policies, calls, scale: 1 }
  const scale = random.one([10, 100])
  const times = random.whole(4, 12)
  const more = (units: number) => units * times + random.whole(0, times - 1)
  // Used units come back no later than they do in whole amounts.
  const faster = (units: number) => units * times + times - 1
  return {
    policies: policies.map((policy) => inUnits(policy, { more, faster, scale })),
    calls: calls.map((call) => ({ ...call, cost: call.cost * times - random.whole(0, times - 1) })),
    scale,
  }
}

interface InUnits {
  readonly more: (units: number) => number
  readonly faster: (units: number) => number
  readonly scale: number
}

function inUnits(policy: PolicyPlan, { more, faster, scale }: InUnits): PolicyPlan {
  switch (policy.strategy) {
    case 'gcra': {
      const burst = more(policy.burst + 1)
      // The policy lets through an amount of 1 at least at once.
      const times = Math.max(1, Math.ceil(scale / burst))
      return { ...policy, count: faster(policy.count) * times, burst: burst * times - 1 }
    }
    case 'tokenBucket':
    case 'leakyBucket':
      return { ...policy, capacity: more(policy.capacity), count: faster(policy.count) }
    case 'multiWindow': {
      const [[fewer, shortMs] = [1, 1], [most, longMs] = [2, 2]] = policy.limits
      const few = more(fewer)
      return {
        ...policy,
        limits: [
          [few, shortMs],
          [few + more(most - fewer), longMs],
        ],
      }
    }
    case 'slidingWindowLog':
    case 'slidingWindowCounter':
    case 'fixedWindow':
    case 'attributedWindow':
      return { ...policy, limit: more(policy.limit) }
    default:
      return policy
  }
}
