import type { SingleFault } from './fault.ts'

/** A single fault with the test files that are meant to notice it. All paths begin at the root. */
export interface GuardedFault extends SingleFault {
  readonly tests: readonly string[]
}

export function noticedBy(
  tests: readonly string[],
  ...lists: readonly (readonly SingleFault[])[]
): readonly GuardedFault[] {
  return lists.flat().map((fault) => ({ ...fault, tests }))
}
