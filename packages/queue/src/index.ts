export type { Finished, Handed, Jobs, JoinOptions, Member, Outcome } from './jobs.ts'
export type { Offer, Queue, QueueHealth, QueueOptions, TicketStatus } from './queue.ts'
