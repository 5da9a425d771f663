import type { Operation } from '../observer.ts'

/** How a question is asked. */
export interface Manner {
  readonly operation: Operation
  /** Longest wait that is accepted; 0 unless it reserves. */
  readonly maxWaitUs: number
}

export const checking: Manner = { operation: 'check', maxWaitUs: 0 }
export const peeking: Manner = { operation: 'peek', maxWaitUs: 0 }

export function reserving(maxWaitUs: number): Manner {
  return { operation: 'reserve', maxWaitUs }
}
