import type { QueueUnderTest, Wanted } from './under-test.ts'

/** One test of the queue suite, as data, so that a skip can name it. */
export interface QueueCase {
  readonly about: string
  readonly title: string
  readonly wanted: Wanted
  run(subject: QueueUnderTest): Promise<void>
}
