import type { Server } from 'node:http'
import { loadTestEndpoint } from '@sluice/cli/endpoint'
import { dashboard, isLocalRequest } from '@sluice/dashboard'
import { countByFile } from './by-file.ts'
import { countByPolicies } from './by-policies.ts'
import { closeServer } from './closing.ts'
import type { Counting, CountingSettings } from './counting.ts'
import type { Flags } from './flags.ts'
import { frameworks } from './frameworks.ts'
import { openLists } from './lists.ts'
import { metricsOf } from './metrics.ts'
import { openOperations } from './operating.ts'
import { QueueBooth } from './queue-booth.ts'
import { openRecorder } from './recording.ts'
import { redisNews } from './redis-news.ts'
import { openStore, redisAt } from './store.ts'
import { harmless } from './terminal.ts'
import { TicketRoll } from './tickets.ts'
import { Zoo } from './zoo.ts'

/** A zoo that is ready to listen. */
export interface OpenZoo {
  readonly zoo: Zoo
  readonly server: Server
  /** Resolves when all requests have been answered and nothing keeps the process alive. */
  close(): Promise<void>
}

// Limiters share a store, and each would print its events: the observer prints them once.
const logger = { warn() {}, error() {} }

/** Rejects with a Complaint if the file of limits is not valid. */
export async function openZoo(flags: Flags): Promise<OpenZoo> {
  const { framework, redis, limits, lists, hosts, supperMs, crowd: takesCrowds } = flags
  const { label, load } = frameworks[framework]
  const serve = await load()
  const client = redisAt(redis)
  const store = openStore(client)
  const seen = openRecorder(client, logger)
  const ops = openOperations(client, logger)
  const roll = new TicketRoll()
  const queueBooth = new QueueBooth(client, roll, supperMs)
  const metrics = metricsOf(queueBooth)
  const settings = {
    store,
    logger,
    observers: [redisNews((news) => console.error(harmless(news))), seen, metrics.observer, ...ops],
  }
  const files = openLists(lists)
  const counting = await countBy(limits, { ...settings, lists: [...ops.map(({ lists }) => lists), ...files] })
  const crowd = takesCrowds ? loadTestEndpoint(settings) : undefined
  const limiters = () => [...counting.limiters(), ...(crowd?.limiters() ?? [])]
  const board = dashboard({ recorder: seen, limiters, mayManage: isLocalRequest, hosts })
  const zoo = new Zoo({
    framework: label,
    store,
    counting,
    queueBooth,
    roll,
    crowd,
    dashboard: board,
    metrics,
  })
  const server = await serve(zoo)

  async function close(): Promise<void> {
    const closed = closeServer(server)
    // Pages keep their streams open, and visits are ended now.
    await board.close()
    await crowd?.close()
    await closed
    await zoo.close()
    await counting.close()
    await seen.close()
    for (const file of files) file.close()
    for (const each of ops) await each.close()
    await store.close()
  }

  return { zoo, server, close }
}

async function countBy(limits: string | undefined, settings: CountingSettings): Promise<Counting> {
  return limits === undefined
    ? countByPolicies(settings)
    : countByFile(limits, { ...settings, terminal: console })
}
