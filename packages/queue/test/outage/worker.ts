import { Redis } from 'ioredis'
import { processor, streamQueue } from '../../src/index.ts'

/** The orders of a worker process. */
export interface Task {
  /** The path of a socket, or a URL. */
  readonly redis: string
  readonly name: string
  readonly limit: number
  /** Offers so many jobs from each of so many callers, all at once. */
  readonly offer?: { readonly callers: number; readonly each: number }
  /** Processes until it is stopped. */
  readonly work?: { readonly concurrency: number; readonly maxAttempts?: number }
}

export interface Job {
  readonly n: number
  /** Kills the process that runs it. */
  readonly isDeadly?: boolean
  /** Keeps the process busy for so long, at the first attempt. */
  readonly blockMs?: number
  readonly workMs?: number
}

export type Answers = { readonly [answer: string]: number }

const usual = { deadline: '10s', logger: { warn() {}, error() {} } } as const

async function offerAll(
  { redis: server, name, limit }: Task,
  { callers, each }: NonNullable<Task['offer']>,
): Promise<Answers> {
  // Each caller has a connection of its own, as so many servers would.
  const clients = Array.from({ length: callers }, () => new Redis(server))
  const queues = clients.map((redis) => streamQueue<Job>({ name, redis, limit, ...usual }))
  await Promise.all(queues.map((queue) => queue.ready()))
  const answers: Record<string, number> = {}
  const offers = queues.map(async (queue) => {
    for (let n = 0; n < each; n++) {
      const offer = await queue.offer({ n })
      const answer = offer.allowed ? 'accepted' : offer.reason
      answers[answer] = (answers[answer] ?? 0) + 1
    }
  })
  await Promise.all(offers)
  await Promise.all(queues.map((queue) => queue.close()))
  for (const client of clients) client.disconnect()
  return answers
}

/** Runs jobs as they say, and counts in Redis how often each ran. */
async function work({ redis: server, name, limit }: Task, options: NonNullable<Task['work']>): Promise<void> {
  const redis = new Redis(server)
  const queue = streamQueue<Job, number>({ name, redis, limit, ...usual })
  const worker = processor(
    queue,
    async ({ n, isDeadly, blockMs = 0, workMs = 0 }, { attempt }) => {
      await redis.hincrby(`runs:${name}`, String(n), 1)
      if (isDeadly) process.kill(process.pid, 'SIGKILL')
      if (attempt === 1) for (const until = performance.now() + blockMs; performance.now() < until; );
      await new Promise((resolve) => setTimeout(resolve, workMs))
      return process.pid
    },
    { idleClaim: '1s', logger: usual.logger, ...options },
  )
  process.once('message', () => {
    void worker.stop().then(() => process.disconnect())
  })
  // Whoever started it has died.
  process.once('disconnect', () => process.exit())
  process.send?.('ready')
}

async function run(task: Task): Promise<void> {
  if (task.work !== undefined) await work(task, task.work)
  if (task.offer !== undefined) {
    process.send?.(await offerAll(task, task.offer))
    process.disconnect()
  }
}

const [, , task] = process.argv
if (process.send !== undefined && task !== undefined) void run(JSON.parse(task) as Task) // crew.ts gives it
