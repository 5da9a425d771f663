import { afterEach, describe, expect, it } from '@jest/globals'
import { socket } from '@sluice/faults/redis-socket'
import { Redis } from 'ioredis'
import { listQueue, type Queue, type QueueOptions, streamQueue } from '../src/index.ts'
import { deadline, newName, quiet } from './redis-queue.ts'

const clients: Redis[] = []
const queues: Queue<unknown, unknown>[] = []
afterEach(async () => {
  for (const queue of queues.splice(0)) await queue.close()
  for (const client of clients.splice(0)) client.disconnect()
})

function client(): Redis {
  const made = new Redis({ path: socket })
  clients.push(made)
  return made
}

type Where = QueueOptions['redis']

function made<R>(
  make: (options: QueueOptions) => Queue<unknown, R>,
  name: string,
  redis: Where,
): Queue<unknown, R> {
  const queue = make({ name, redis, limit: 10, deadline, logger: quiet })
  queues.push(queue)
  return queue
}

// biome-ignore format: a table
const same: readonly [string, () => readonly [Where, Where]][] = [
  ['one client',                 () => { const one = client(); return [one, one] }],
  ['one URL',                    () => ['redis://localhost:1', new URL('redis://localhost:1')]],
  ['one URL among options',      () => [{ url: 'redis://localhost:1' }, 'redis://localhost:1']],
  ['one cluster',                () => [{ cluster: ['localhost:1'] }, { cluster: ['localhost:1'], password: 'x' }]],
]
// biome-ignore format: a table
const apart: readonly [string, () => readonly [Where, Where]][] = [
  ['two clients',                () => [client(), client()]],
  ['two databases',              () => ['redis://localhost:1/1', 'redis://localhost:1/2']],
  ['two masters',                () => [{ sentinels: ['localhost:1'], master: 'a' }, { sentinels: ['localhost:1'], master: 'b' }]],
]

describe('a stream and a list of one name, whose keys are in part the same', () => {
  it.each(same)('are refused on %s, whichever is second', (_title, two) => {
    const [first, second] = two()
    const name = newName()
    const other = newName()
    made(streamQueue, name, first)
    expect(() => made(listQueue, name, second)).toThrow(
      `name: expected another name than that of the stream queue that is open, got "${name}" (string)`,
    )
    made(listQueue, other, first)
    expect(() => made(streamQueue, other, second)).toThrow(
      `name: expected another name than that of the list queue that is open, got "${other}" (string)`,
    )
  })

  it.each(apart)('are two queues on %s', (_title, two) => {
    const [first, second] = two()
    const name = newName()
    made(streamQueue, name, first)
    made(listQueue, name, second)
  })

  it('follow each other once the last of the first form is closed', async () => {
    const redis = client()
    const name = newName()
    const streams = [made(streamQueue, name, redis), made(streamQueue, name, redis)]
    for (const stream of streams) {
      expect(() => made(listQueue, name, redis)).toThrow('expected another name')
      await stream.close()
      await stream.close()
    }
    made(listQueue, name, redis)
  })
})
