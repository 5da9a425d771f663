import type { Clock } from '../../src/index.ts'

/** A clock that stands: nothing comes after a rest, so all questions of one turn go together. */
export const standing: Clock = { nowUs: () => 0 }
