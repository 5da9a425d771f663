import { type Policy, slidingWindowLog } from '../../src/index.ts'

const limit = 1000
const windowUs = 1_000_000

/** Of one key that all processes ask for. */
export const hotPolicy: Policy<'refund' | 'penalize' | 'reward'> = slidingWindowLog({ limit, window: '1s' })

/** The most units in any time of so many µs. */
export function most(us: number): number {
  return limit * Math.ceil(us / windowUs)
}
