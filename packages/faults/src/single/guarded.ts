import type { SingleFault } from './fault.ts'

/** The tests that are meant to notice a fault. */
export interface Guard {
  /** Test files, the nearest first. All paths begin at the root. */
  readonly tests: readonly string[]
  /** A pattern: only tests with such names run, where the files are a suite of many subjects. */
  readonly named?: string
}

export interface GuardedFault extends SingleFault, Guard {}

export function noticedBy(
  guard: Guard | readonly string[],
  ...lists: readonly (readonly SingleFault[])[]
): readonly GuardedFault[] {
  const by = 'tests' in guard ? guard : { tests: guard }
  return lists.flat().map((fault) => ({ ...fault, ...by }))
}
