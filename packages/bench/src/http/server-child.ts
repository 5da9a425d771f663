import { openPlace } from '../asking/place.ts'
import type { ClientName } from '../asking/work.ts'
import { serve } from '../helper.ts'
import { serveExpress } from './express.ts'
import { serveFastify } from './fastify.ts'
import { serveKoa } from './koa.ts'
import type { Framework, Limiting } from './limits.ts'

// Started by httpSections: one framework with one limiter.
const [framework, limiting, client, socket = ''] = process.argv.slice(2) as [
  Framework,
  Limiting,
  ClientName | 'memory',
  string,
]
const frameworks = { Express: serveExpress, Fastify: serveFastify, Koa: serveKoa }

const server = await frameworks[framework](limiting, await openPlace(client, socket))
// Longer than a run takes between two turns.
server.keepAliveTimeout = 600_000
if (!server.listening) await new Promise((resolve) => server.once('listening', resolve))

const duties = {
  port(_: undefined): number {
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('A server listens on a port.')
    return address.port
  },
  /** The CPU time of this process so far. */
  cpuUs(_: undefined): number {
    const { user, system } = process.cpuUsage()
    return user + system
  },
}

export type ServerDuties = typeof duties

serve(duties)
