import { redisStore, slidingWindowLog } from '@sluice/core'
import { listQueue, type Queue, streamQueue } from '@sluice/queue'
import type { Redis } from 'ioredis'
import type { Bench } from './bench.ts'
import { type CallKind, checks } from './calls.ts'
import type { Section } from './section.ts'
import { serverTimeOf } from './server-time.ts'
import { silent } from './silent.ts'

export const queueNames = {
  log: 'slidingWindowLog, admitted',
  stream: 'stream queue, offered',
  list: 'list queue, offered',
}

/** The size of a typical job. */
const job = { order: 12_345, visitor: 'bob', attraction: 'tigers' }
/** No run fills it. */
const limit = 100_000_000

/** What an admission to a queue costs the server, compared with one by a log. */
export async function queues({ client, pace }: Bench): Promise<Section> {
  const open = [
    streamQueue<typeof job>({ name: 'bench-stream', redis: client, limit, logger: silent }),
    listQueue<typeof job>({ name: 'bench-list', redis: client, limit, logger: silent }),
  ] as const
  const [stream, list] = open
  try {
    const kinds = [admissions(client), offers(queueNames.stream, stream), offers(queueNames.list, list)]
    for (const { ask } of kinds) await ask(0)
    const about = { id: 'queues', title: 'Server time of an admission to a queue, 64 at once' }
    return await serverTimeOf(client, kinds, { ...about, ratiosTo: [queueNames.log], pace })
  } finally {
    for (const queue of open) await queue.close()
  }
}

function admissions(client: Redis): CallKind {
  const policy = slidingWindowLog({ limit: 100_000, window: '10s' })
  return checks(redisStore(client), { name: queueNames.log, policies: { default: policy } })
}

function offers(name: string, queue: Queue<typeof job, unknown>): CallKind {
  return {
    name,
    command: 'evalsha',
    ask: async () => (await queue.offer(job)).allowed,
    isRight: (answer) => answer === true,
  }
}
