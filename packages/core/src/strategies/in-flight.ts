import type { Policy } from '../policy.ts'
import { partsOf } from './definition.ts'

/** true where a policy counts what is under way. */
export function isInFlight({ policy }: { readonly policy: Policy }): boolean {
  return partsOf(policy).inFlight
}

/** How long what is under way counts without being renewed. */
export function leaseUs({ policy }: { readonly policy: Policy }): number {
  const { definition, numbers } = partsOf(policy)
  return definition.leaseUs?.(numbers) ?? Number.POSITIVE_INFINITY
}
