import type { RedisClient } from '@sluice/core'
import type { Queue } from '@sluice/queue'
import type { Instance } from '../inside/load.ts'
import type { QueuePlan, Scenario } from './plan.ts'
import { silent } from './silent.ts'

/** The data of a job. */
export interface Job {
  readonly nth: number
}

export type JobQueue = Queue<Job, number>

export function makeQueue(
  { code }: Instance,
  { scenario, queue, redis }: { scenario: Scenario; queue: QueuePlan; redis: RedisClient },
): JobQueue {
  const options = { name: 'jobs', redis, limit: queue.limit, deadline: scenario.deadlineMs, logger: silent }
  return queue.isList === true ? code.listQueue<Job>(options) : code.streamQueue<Job, number>(options)
}
