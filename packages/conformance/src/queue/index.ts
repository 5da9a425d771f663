export { describeQueue } from './describe-queue.ts'
export type { Buried, QueueFactory, QueueUnderTest, Wanted } from './under-test.ts'
