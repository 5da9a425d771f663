import { Redis } from 'ioredis'
import { listQueue, processor } from '../../src/index.ts'

/** A process that takes entries of a list, reports which, and never finishes them. */
function run(socket: string, name: string): void {
  const logger = { warn() {}, error() {} }
  const queue = listQueue<number>({ name, redis: new Redis({ path: socket }), limit: 5, logger })
  processor(
    queue,
    (job) => {
      process.send?.(job)
      return new Promise<never>(() => {})
    },
    { concurrency: 3, logger },
  )
  // Whoever started it has died.
  process.once('disconnect', () => process.exit())
}

const [, , socket, name] = process.argv
if (process.send !== undefined && socket !== undefined && name !== undefined) run(socket, name)
