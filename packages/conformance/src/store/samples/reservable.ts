import {
  fixedWindow,
  multiWindow,
  type Policy,
  reservable,
  slidingWindowCounter,
  slidingWindowLog,
} from '@sluice/core'
import { definitions, partsOf } from '@sluice/core/internal'
import fc from 'fast-check'
import { fixedWindowSamples } from './fixedWindow.ts'
import { multiWindowSamples } from './multiWindow.ts'
import type { Samples } from './sample.ts'
import { slidingWindowCounterSamples } from './slidingWindowCounter.ts'
import { slidingWindowLogSamples } from './slidingWindowLog.ts'

/** The shortest day of a calendar. */
const mostDebtUs = 22 * 3600e6

/** The same windows, whose callers can reserve: by their numbers, as windows of a few µs are no options. */
function reservableSamples({ strategy, samples }: Samples, policy: Policy): Samples {
  const { definition } = partsOf(reservable(policy))
  const { later } = partsOf(policy).definition
  const over = (plain: Policy, maxDebtUs: number) => {
    const { numbers, options } = partsOf(plain)
    const own = { ...(numbers as object), ...later?.numbers?.(numbers), maxDebtUs } // numbers are an object
    return definitions.policyOf(definition, own, { blocking: undefined, options })
  }
  const debts = fc.constantFrom('none', 'short', 'window', 'windows', 'minute')
  return {
    strategy: `reservable ${strategy}`,
    samples: fc.tuple(samples, debts).map(([sample, debt]) => {
      const { spanUs } = sample
      const longUs = { none: 0, short: 11, window: spanUs, windows: 5 * spanUs, minute: 60e6 }[debt]
      const debtUs = Math.min(longUs, mostDebtUs)
      return { ...sample, policy: over(sample.policy, debtUs), other: over(sample.other, debtUs), debtUs }
    }),
  }
}

export const allReservableSamples: readonly Samples[] = [
  reservableSamples(fixedWindowSamples, fixedWindow({ limit: 1, window: '1s' })),
  reservableSamples(slidingWindowCounterSamples, slidingWindowCounter({ limit: 1, window: '1s' })),
  reservableSamples(slidingWindowLogSamples, slidingWindowLog({ limit: 1, window: '1s' })),
  reservableSamples(multiWindowSamples, multiWindow({ limits: [{ limit: 1, window: '1s' }] })),
]
