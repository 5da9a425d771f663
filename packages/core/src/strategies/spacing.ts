import type { Policy } from '../policy.ts'
import { partsOf } from './policy-parts.ts'

/** How far apart requests of this cost are in the long run; 0 if the strategy has no spacing. */
export function spacingUs(policy: Policy, cost: number): number {
  const { definition, numbers } = partsOf(policy)
  return definition.spacingUs?.(numbers, cost) ?? 0
}
