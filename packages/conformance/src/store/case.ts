import type { StoreUnderTest } from './under-test.ts'

/** One test of the store suite, as data, so that a skip can name it. */
export interface StoreCase {
  /** The strategy, or what else it is about: `npm test -- -t gcra` runs those of one. */
  readonly about: string
  readonly title: string
  run(subject: StoreUnderTest): Promise<void>
}
