import type { RedisClient } from '@sluice/core'
import type { Queue } from '@sluice/queue'
import type { Instance } from '../inside/load.ts'
import type { QueuePlan, Scenario } from './plan.ts'

/** The data of a job. */
export interface Job {
  readonly nth: number
}

export type JobQueue = Queue<Job, number>

export function makeQueue(
  { code }: Instance,
  { scenario, queue, redis }: { scenario: Scenario; queue: QueuePlan; redis: RedisClient },
): JobQueue {
  const logger = { warn() {}, error() {} }
  const options = { name: 'jobs', redis, limit: queue.limit, deadline: scenario.deadlineMs, logger }
  return queue.isList === true ? code.listQueue<Job>(options) : code.streamQueue<Job, number>(options)
}
