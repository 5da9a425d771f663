import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { memoryStore, redisStore, type Store } from '@sluice/core'
import { dashboard } from '@sluice/dashboard'
import { memorySink, recorder, redisSink } from '@sluice/telemetry'
import { type LoadTestEndpoint, loadTestEndpoint } from '../../endpoint/index.ts'
import { exitCode } from '../../exit-code.ts'
import { loadIoredis } from '../../installed.ts'
import { Failure } from '../failure.ts'
import type { OwnPlace } from '../where.ts'
import { loadFramework } from './frameworks.ts'
import { give } from './give.ts'
import { placeOf } from './routes.ts'

export interface OpenZoo {
  readonly url: URL
  close(): Promise<void>
}

type Dashboard = ReturnType<typeof dashboard>

/** A server with just the endpoint and the dashboard, on a free port of this machine. */
export async function openZoo({ framework, redis }: OwnPlace): Promise<OpenZoo> {
  const serveTickets = await loadFramework(framework)
  const store = await storeAt(redis)
  const record = recorder(redis === undefined ? memorySink() : redisSink({ redis }))
  const crowd = loadTestEndpoint({ store, observers: [record] })
  const board = dashboard({ recorder: record, limiters: () => crowd.limiters() })
  const server = createServer(listener(crowd, board, await serveTickets(crowd)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: urlOf(server),
    async close() {
      await crowd.close()
      await board.close()
      await closeServer(server)
      await record.close()
      await store.close()
    },
  }
}

/** Rejects with a Failure if Redis does not answer: counting in memory instead would falsify the results. */
async function storeAt(redis: string | undefined): Promise<Store> {
  if (redis === undefined) return memoryStore()
  await loadIoredis('--redis')
  const store = redisStore(redis)
  try {
    await store.ready?.()
    return store
  } catch {
    await store.close()
    // The URL may contain a password.
    throw new Failure(`no answer from Redis at ${new URL(redis).host}`, exitCode.away)
  }
}

function listener(crowd: LoadTestEndpoint, board: Dashboard, tickets: RequestListener): RequestListener {
  return (request, response) => {
    const place = placeOf(request.url ?? '')
    switch (place.kind) {
      case 'tickets':
        tickets(request, response)
        break
      case 'endpoint':
        crowd.answer(request, place.run).then(
          (answer) => give(response, answer),
          (error) => response.destroy(error),
        )
        break
      case 'dashboard':
        board(request, response)
        break
      case 'elsewhere':
        response.writeHead(302, { Location: '/dashboard/' }).end()
        break
    }
  }
}

function urlOf(server: Server): URL {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return new URL(`http://127.0.0.1:${port}/`)
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  // All requests have been answered; open connections are idle or follow the dashboard.
  server.closeAllConnections()
  await closed
}
