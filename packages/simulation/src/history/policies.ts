import type { Policy } from '@sluice/core'
import type { Code } from '../inside/load.ts'
import type { PolicyPlan } from './plan.ts'

const made = new WeakMap<Code, WeakMap<PolicyPlan, Policy>>()

/** The policy of a plan, by an instance of the code; processes that share the instance share it, as nothing in it changes. */
export function policyOf(code: Code, plan: PolicyPlan): Policy {
  const ofCode = made.get(code) ?? new WeakMap<PolicyPlan, Policy>()
  made.set(code, ofCode)
  const policy = ofCode.get(plan) ?? makePolicy(code, plan)
  ofCode.set(plan, policy)
  return policy
}

function makePolicy(code: Code, plan: PolicyPlan): Policy {
  const policy = plainPolicy(code, plan)
  return plan.isReservable === true ? code.reservable(policy, { maxDebt: maxDebtMs }) : policy
}

function plainPolicy(code: Code, plan: PolicyPlan): Policy {
  const block = plan.blockForMs > 0 ? { blockFor: plan.blockForMs } : {}
  switch (plan.strategy) {
    case 'slidingWindowLog':
      return code.slidingWindowLog({ limit: plan.limit, window: plan.windowMs, ...block })
    case 'slidingWindowCounter':
      return code.slidingWindowCounter({ limit: plan.limit, window: plan.windowMs, ...block })
    case 'fixedWindow':
      return code.fixedWindow({
        limit: plan.limit,
        window: plan.windowMs,
        start: plan.byClock ? 'clock' : 'first-hit',
        ...block,
      })
    case 'attributedWindow':
      return code.attributedWindow({ limit: plan.limit, window: plan.windowMs, ...block })
    case 'fairShare':
      return code.fairShare({ limit: plan.limit, window: plan.windowMs })
    case 'multiWindow':
      return code.multiWindow({
        limits: plan.limits.map(([limit, window]) => ({ limit, window })),
        ...block,
      })
    case 'uniform':
      return code.uniform({ interval: plan.intervalMs, maxDebt: maxDebtMs, ...block })
    case 'gcra':
      return code.gcra({
        count: plan.count,
        period: plan.periodMs,
        burst: plan.burst,
        maxDebt: maxDebtMs,
        ...block,
      })
    case 'tokenBucket':
    case 'leakyBucket':
      return code[plan.strategy]({
        capacity: plan.capacity,
        count: plan.count,
        period: plan.periodMs,
        maxDebt: maxDebtMs,
        ...block,
      })
    case 'concurrency':
      return code.concurrency({ limit: plan.limit, lease: plan.leaseMs })
  }
}

/** How far ahead callers may reserve. */
export const maxDebtMs = 2000
