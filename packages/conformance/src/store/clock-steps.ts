import fc from 'fast-check'

/** How a clock goes on: by µs, by a share of a span, or to where the last refusal said to come again, give or take 1 µs. */
export type ClockStep =
  | { readonly by: 'us'; readonly us: number }
  | { readonly by: 'share'; readonly share: number }
  | { readonly by: 'stated'; readonly us: number }

const us = fc.record({ by: fc.constant('us' as const), us: fc.constantFrom(0, 0, 1, 2, 3) })
const share = fc.record({
  by: fc.constant('share' as const),
  share: fc.constantFrom(0.1, 0.25, 0.3, 0.5, 0.6, 0.9, 1, 1.2, 2.5),
})
const stated = fc.record({ by: fc.constant('stated' as const), us: fc.integer({ min: -1, max: 1 }) })
const back = fc.record({ by: fc.constant('share' as const), share: fc.constantFrom(-0.2, -1, -1.7, -500) })
/** As a server's TIME may: so little that nothing is moved, and a little more. */
const slip = fc.record({ by: fc.constant('us' as const), us: fc.constantFrom(-1, -14, -1000, -1001) })

export const stepsOn: fc.Arbitrary<ClockStep> = fc.oneof(us, share, stated)
/** Now and then back, by a little or by far. */
export const stepsBothWays: fc.Arbitrary<ClockStep> = fc.oneof(
  { weight: 6, arbitrary: stepsOn },
  { weight: 1, arbitrary: back },
  { weight: 1, arbitrary: slip },
)

/** The clock of one history. */
export class HistoryClock {
  nowUs: number
  #statedUs = 0
  readonly #spanUs: number

  constructor(startUs: number, spanUs: number) {
    this.nowUs = startUs
    this.#spanUs = spanUs
  }

  /** A refusal said to come again after so long. */
  stated(afterUs: number): void {
    if (afterUs > 0) this.#statedUs = this.nowUs + afterUs
  }

  step(step: ClockStep): number {
    switch (step.by) {
      case 'us':
        this.nowUs += step.us
        break
      case 'share':
        this.nowUs += Math.floor(step.share * this.#spanUs)
        break
      case 'stated':
        this.nowUs = Math.max(this.nowUs, this.#statedUs + step.us)
    }
    return this.nowUs
  }
}
