import type { Random } from '../random.ts'
import type { PolicyPlan, Scenario, StrategyPlan } from './plan.ts'

const windows = [200, 500, 1000, 1700, 3000]

const drawn: readonly ((random: Random) => StrategyPlan)[] = [
  (random) => ({ strategy: 'slidingWindowLog', limit: random.whole(1, 8), windowMs: random.one(windows) }),
  (random) => ({
    strategy: 'slidingWindowCounter',
    limit: random.whole(1, 8),
    windowMs: random.one(windows),
  }),
  (random) => ({
    strategy: 'fixedWindow',
    limit: random.whole(1, 8),
    windowMs: random.one(windows),
    byClock: random.chance(0.3),
  }),
  // One draw decides both, so that what a seed draws after it stays as it was.
  (random) => {
    const limit = random.whole(1, 6)
    return { strategy: limit > 3 ? 'attributedWindow' : 'fairShare', limit, windowMs: random.one(windows) }
  },
  (random) => {
    const [limit, windowMs] = [random.whole(1, 4), random.one([200, 400])]
    return {
      strategy: 'multiWindow',
      limits: [
        [limit, windowMs],
        [limit + random.whole(1, 4), windowMs * 4],
      ],
    }
  },
  (random) => ({ strategy: 'uniform', intervalMs: random.one([50, 200, 700]) }),
  (random) => ({
    strategy: 'gcra',
    count: random.one([1, 2, 4, 10]),
    periodMs: random.one([500, 1000, 2000]),
    burst: random.whole(0, 6),
  }),
  (random) => bucket('tokenBucket', random),
  (random) => bucket('leakyBucket', random),
]

function bucket(strategy: 'tokenBucket' | 'leakyBucket', random: Random): StrategyPlan {
  const capacity = random.whole(1, 8)
  return { strategy, capacity, count: random.one([1, 2, 4, 10]), periodMs: random.one([500, 1000, 2000]) }
}

function places(random: Random): StrategyPlan {
  return { strategy: 'concurrency', limit: random.whole(1, 4), leaseMs: random.one([300, 1000, 4000]) }
}

function drawPolicy(random: Random, name: string, strategy: StrategyPlan): PolicyPlan {
  const blocks = strategy.strategy !== 'concurrency' && random.chance(0.1)
  return {
    ...strategy,
    name,
    onStoreFailure: random.chance(0.7) ? 'local' : random.one(['allow', 'deny']),
    shadow: false,
    blockForMs: blocks ? blockedMs(strategy, random.one([100, 800])) : 0,
  }
}

function blockedMs({ strategy }: StrategyPlan, forMs: number): number {
  return strategy === 'fairShare' ? 0 : forMs
}

/** Whether units of a policy can be taken ahead. */
function canBeAhead(policy: PolicyPlan): boolean {
  if (policy.blockForMs > 0) return false
  switch (policy.strategy) {
    case 'gcra':
      return policy.burst >= 2 && (policy.burst * policy.periodMs) / policy.count >= longEnoughMs
    case 'tokenBucket':
    case 'leakyBucket':
      return policy.capacity >= 2 && (policy.capacity * policy.periodMs) / policy.count >= longEnoughMs
    default:
      return !['attributedWindow', 'fairShare', 'uniform', 'concurrency'].includes(policy.strategy)
  }
}

const longEnoughMs = 250

/** The policy with so much room that it is worth while to take units ahead. */
function wider(policy: PolicyPlan): PolicyPlan {
  switch (policy.strategy) {
    case 'gcra':
      return { ...policy, count: policy.count * 6, burst: policy.burst * 6 }
    case 'tokenBucket':
    case 'leakyBucket':
      return { ...policy, capacity: policy.capacity * 6, count: policy.count * 6 }
    case 'multiWindow':
      return { ...policy, limits: policy.limits.map(([limit, windowMs]) => [limit * 6, windowMs] as const) }
    case 'slidingWindowLog':
    case 'slidingWindowCounter':
    case 'fixedWindow':
      return { ...policy, limit: policy.limit * 6 }
    default:
      return policy
  }
}

function drawPolicies(random: Random): readonly PolicyPlan[] {
  if (random.chance(0.2)) return [drawPolicy(random, 'places', places(random))]
  const count = random.chance(0.6) ? 1 : random.whole(2, 3)
  const policies = Array.from({ length: count }, (_, i) =>
    drawPolicy(random, `p${i}`, random.one(drawn)(random)),
  )
  if (count > 1 && random.chance(0.25)) policies.push(drawPolicy(random, 'places', places(random)))
  if (count > 1 && random.chance(0.25)) {
    return policies.map((policy, i) => (i === 0 ? { ...policy, shadow: true } : policy))
  }
  return policies
}

export function drawScenario(random: Random): Scenario {
  const policies = drawPolicies(random)
  const everyLevel = policies.length > 1 && random.chance(0.3)
  const processes = random.whole(1, 4)
  const [wayUs, jitterUs] = [random.one([100, 300, 2000]), random.one([0, 100, 3000])]
  const isAhead = !everyLevel && policies.every(canBeAhead) && random.chance(0.25)
  return {
    processes,
    policies: isAhead ? policies.map(wider) : policies,
    charge: everyLevel ? 'every-level' : 'all-or-nothing',
    aheadMs: isAhead ? 20 : 0,
    // Taking units ahead may need three ways to the server and back.
    deadlineMs: random.one([wayUs + jitterUs < 1000 ? 30 : 100, 100, 100, 100, 250]),
    connectDeadlineMs: random.one([1000, 1000, 300]),
    refusalCacheMs: random.one([0, 1000, 200, 200]),
    maxKeys: random.chance(0.1) ? 2 : 1000,
    shares: random.chance(0.2) ? processes : 0,
    wayUs,
    jitterUs,
    apart: random.chance(0.2),
    replicated: random.chance(0.25),
  }
}
