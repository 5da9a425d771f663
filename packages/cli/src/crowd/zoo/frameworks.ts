import type { RequestListener } from 'node:http'
import type { LoadTestEndpoint } from '../../endpoint/index.ts'
import { loadInstalled } from '../../installed.ts'
import { nodeTickets } from './node.ts'

/** Serves the limited route with a framework. */
export type ServeTickets = (endpoint: LoadTestEndpoint) => RequestListener | Promise<RequestListener>

interface Framework {
  readonly packages: readonly string[]
  readonly load: () => Promise<ServeTickets>
}

export type FrameworkName = 'express' | 'fastify' | 'koa'

/** Only the chosen framework is loaded, so none of them needs to be installed. */
const frameworks: Readonly<Record<FrameworkName, Framework>> = {
  express: {
    packages: ['express', '@sluice/express'],
    load: async () => (await import('./express.ts')).expressTickets,
  },
  fastify: {
    packages: ['fastify', '@sluice/fastify'],
    load: async () => (await import('./fastify.ts')).fastifyTickets,
  },
  koa: {
    packages: ['koa', '@sluice/koa'],
    load: async () => (await import('./koa.ts')).koaTickets,
  },
}

export const frameworkNames: readonly FrameworkName[] = ['express', 'fastify', 'koa']

/** Rejects with a UsageError if it is not installed; undefined means plain Node. */
export async function loadFramework(name: FrameworkName | undefined): Promise<ServeTickets> {
  if (name === undefined) return nodeTickets
  const { packages, load } = frameworks[name]
  return loadInstalled(`--framework ${name}`, packages, load)
}
