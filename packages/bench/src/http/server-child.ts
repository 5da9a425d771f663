import type { Server } from 'node:http'
import { openPlace } from '../asking/place.ts'
import type { ClientName } from '../asking/work.ts'
import { ownCpuUs } from '../cpu-time.ts'
import { serve as answer } from '../helper.ts'
import { serveExpress } from './express.ts'
import { serveFastify } from './fastify.ts'
import { serveKoa } from './koa.ts'
import type { Framework, Limiting } from './limits.ts'

// Started by httpSections: one framework with one limiter, and beside it the same framework without one.
const [framework, limiting, client, url = ''] = process.argv.slice(2) as [
  Framework,
  Limiting,
  ClientName | 'memory',
  string,
]
const frameworks = { Express: serveExpress, Fastify: serveFastify, Koa: serveKoa }

async function listening(started: Promise<Server>): Promise<number> {
  const server = await started
  // Longer than a run takes between two turns.
  server.keepAliveTimeout = 600_000
  if (!server.listening) await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('A server listens on a port.')
  return address.port
}

const serve = frameworks[framework]
const place = await openPlace(client, url)
const bare = await listening(serve('bare', place))
const limited = await listening(serve(limiting, place))

const duties = {
  ports(_: undefined): { readonly bare: number; readonly limited: number } {
    return { bare, limited }
  },
  cpuUs: (_: undefined): number => ownCpuUs(),
}

export type ServerDuties = typeof duties

answer(duties)
