export type { Finished, Handed, Jobs, JoinOptions, Member, Outcome } from './jobs.ts'
export { type MemoryQueue, type MemoryQueueOptions, memoryQueue } from './memory.ts'
export type { DeadLetter } from './memory-state.ts'
export type { Offer, Queue, QueueHealth, QueueOptions, TicketStatus } from './queue.ts'
