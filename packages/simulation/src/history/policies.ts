import type { Policy } from '@sluice/core'
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
  const make = code[plan.strategy] as (options: object) => Policy // optionsOf gives each strategy the options that it has
  return make({
    ...optionsOf(plan, scale),
    ...(plan.blockForMs > 0 && { blockFor: plan.blockForMs }),
    ...(scale > 1 && { unit: 1 / scale }),
  })
}

/** The options of a policy's strategy, without those that all strategies have. */
export function optionsOf(plan: PolicyPlan, scale = 1): { readonly [option: string]: unknown } {
  switch (plan.strategy) {
    case 'slidingWindowLog':
    case 'slidingWindowCounter':
    case 'attributedWindow':
      return { limit: plan.limit / scale, window: plan.windowMs }
    case 'fixedWindow':
      if (plan.calendar !== undefined) {
        const { every, timeZone } = calendarAt(plan.calendar)
        return { limit: plan.limit / scale, every, timeZone }
      }
      return {
        limit: plan.limit / scale,
        window: plan.windowMs,
        start: plan.byClock ? 'clock' : 'first-hit',
      }
    case 'fairShare':
      return { limit: plan.limit, window: plan.windowMs }
    case 'multiWindow':
      return { limits: plan.limits.map(([limit, window]) => ({ limit: limit / scale, window })) }
    case 'uniform':
      return { interval: plan.intervalMs, maxDebt: maxDebtMs }
    case 'gcra':
      return {
        count: plan.count / scale,
        period: plan.periodMs,
        // The first unit is not among them.
        burst: (plan.burst + 1) / scale - 1,
        maxDebt: maxDebtMs,
      }
    case 'tokenBucket':
    case 'leakyBucket':
      return {
        capacity: plan.capacity / scale,
        count: plan.count / scale,
        period: plan.periodMs,
        maxDebt: maxDebtMs,
        ...('startsEmpty' in plan && { start: 'empty' }),
      }
    case 'concurrency':
      return { limit: plan.limit, lease: plan.leaseMs }
  }
}

/** How far ahead callers may reserve. */
export const maxDebtMs = 2000
