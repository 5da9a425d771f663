import type { Every, Policy, Unit } from '@sluice/core'
import type { Code } from '../inside/load.ts'
import { calendarAt } from './calendars.ts'
import type { PolicyPlan } from './plan.ts'

const made = new WeakMap<Code, WeakMap<PolicyPlan, Policy>>()

/**
 * The policy of a plan, by an instance of the code; processes that share the instance share it, as nothing in it changes. `scale`: how
 * many units an amount of 1 is.
 */
export function policyOf(code: Code, plan: PolicyPlan, scale = 1): Policy {
  const ofCode = made.get(code) ?? new WeakMap<PolicyPlan, Policy>()
  made.set(code, ofCode)
  const policy = ofCode.get(plan) ?? makePolicy(code, plan, scale)
  ofCode.set(plan, policy)
  return policy
}

function makePolicy(code: Code, plan: PolicyPlan, scale: number): Policy {
  const policy = plainPolicy(code, plan, scale)
  return plan.isReservable === true ? code.reservable(policy, { maxDebt: maxDebtMs }) : policy
}

function plainPolicy(code: Code, plan: PolicyPlan, scale: number): Policy {
  const block = {
    ...(plan.blockForMs > 0 && { blockFor: plan.blockForMs }),
    ...(scale > 1 && { unit: (1 / scale) as Unit }), // as scenarios are drawn
  }
  switch (plan.strategy) {
    case 'slidingWindowLog':
      return code.slidingWindowLog({ limit: plan.limit / scale, window: plan.windowMs, ...block })
    case 'slidingWindowCounter':
      return code.slidingWindowCounter({ limit: plan.limit / scale, window: plan.windowMs, ...block })
    case 'fixedWindow':
      if (plan.calendar !== undefined) {
        const { every, timeZone } = calendarAt(plan.calendar)
        return code.fixedWindow({ limit: plan.limit / scale, every: every as Every, timeZone, ...block }) // as the table has it
      }
      return code.fixedWindow({
        limit: plan.limit / scale,
        window: plan.windowMs,
        start: plan.byClock ? 'clock' : 'first-hit',
        ...block,
      })
    case 'attributedWindow':
      return code.attributedWindow({ limit: plan.limit / scale, window: plan.windowMs, ...block })
    case 'fairShare':
      return code.fairShare({ limit: plan.limit, window: plan.windowMs })
    case 'multiWindow':
      return code.multiWindow({
        limits: plan.limits.map(([limit, window]) => ({ limit: limit / scale, window })),
        ...block,
      })
    case 'uniform':
      return code.uniform({ interval: plan.intervalMs, maxDebt: maxDebtMs, ...block })
    case 'gcra':
      return code.gcra({
        count: plan.count / scale,
        period: plan.periodMs,
        // The first unit is not among them.
        burst: (plan.burst + 1) / scale - 1,
        maxDebt: maxDebtMs,
        ...block,
      })
    case 'tokenBucket':
    case 'leakyBucket':
      return code[plan.strategy]({
        capacity: plan.capacity / scale,
        count: plan.count / scale,
        period: plan.periodMs,
        maxDebt: maxDebtMs,
        ...('startsEmpty' in plan && { start: 'empty' as const }),
        ...block,
      })
    case 'concurrency':
      return code.concurrency({ limit: plan.limit, lease: plan.leaseMs })
  }
}

/** How far ahead callers may reserve. */
export const maxDebtMs = 2000
