/** For the tests of this repository: not published. */
export { acrossSlots } from '../store/across-slots.ts'
export { propertyTimeoutMs, runs } from '../store/runs.ts'
export { bothWays, describeSameRows, onwards, unchanged } from '../store/same-rows.ts'
export { baseUs } from '../store/under-test.ts'
export { vectorNames } from '../store/vectors.ts'
