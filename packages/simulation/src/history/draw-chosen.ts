import type { Random } from '../random.ts'
import { managedKey } from './managed.ts'
import type { CallPlan, Operation, PolicyPlan, Scenario } from './plan.ts'

interface Choosing {
  readonly policies: readonly PolicyPlan[]
  readonly calls: readonly CallPlan[]
  readonly chosen: readonly PolicyPlan[]
}

const windows = [200, 500, 1000, 1700, 3000]
const asking: readonly Operation[] = [
  'check',
  'part',
  'peek',
  'refund',
  'settle',
  'reserve',
  'wait',
  'cancel',
]

/** In some histories some calls choose policies of their own: the same strategies, with more or with less room than the limiter's. */
export function drawChosen(
  random: Random,
  {
    policies,
    aheadMs,
    queue,
    scale = 1,
  }: Pick<Scenario, 'policies' | 'aheadMs' | 'scale'> & { readonly queue: unknown },
  calls: readonly CallPlan[],
): Choosing {
  const canBe = aheadMs === 0 && queue === undefined && policies.every(hasOthers)
  if (!canBe || !random.chance(0.12)) return { policies, calls, chosen: [] }
  const own: PolicyPlan[] = []
  const chosen: PolicyPlan[] = []
  for (const policy of policies) {
    const other = random.chance(0.8) ? withOther(random, policy, scale) : policy
    const isLarger = random.chance(0.5)
    own.push(isLarger ? other : policy)
    if (other !== policy) chosen.push(isLarger ? policy : other)
  }
  const share = random.one([0.2, 0.5])
  const chooses = ({ operation, key }: CallPlan) =>
    asking.includes(operation) && key < managedKey && random.chance(share)
  return {
    policies: own,
    chosen,
    calls: calls.map((call) => (chooses(call) ? { ...call, chooses: true } : call)),
  }
}

export function hasOthers(policy: PolicyPlan): boolean {
  return policy.strategy !== 'concurrency' && !('calendar' in policy)
}

/** The same strategy with other numbers, by which nothing takes longer to come back than it may in a history. */
export function withOther(random: Random, policy: PolicyPlan, scale: number): PolicyPlan {
  const fewer = (units: number) => random.whole(Math.min(scale, units), units)
  switch (policy.strategy) {
    case 'slidingWindowLog':
    case 'slidingWindowCounter':
    case 'fixedWindow':
    case 'attributedWindow':
    case 'fairShare':
      return { ...policy, limit: fewer(policy.limit), windowMs: random.one(windows) }
    case 'multiWindow': {
      const [[few, shortMs] = [1, 1], [many, longMs] = [2, 2]] = policy.limits
      const less = fewer(few)
      const times = random.one([1, 2])
      return {
        ...policy,
        limits: [
          [less, shortMs * times],
          [less + many - few, longMs * times],
        ],
      }
    }
    case 'uniform':
      return { ...policy, intervalMs: random.one([50, 200, 700]) }
    case 'gcra':
      return { ...policy, count: policy.count * random.whole(1, 3), burst: fewer(policy.burst + 1) - 1 }
    case 'tokenBucket':
    case 'leakyBucket':
      return { ...policy, count: policy.count * random.whole(1, 3), capacity: fewer(policy.capacity) }
    default:
      return policy
  }
}
