import type { RequestListener } from 'node:http'
import type { LoadTestEndpoint } from '../../endpoint/index.ts'
import { UsageError } from '../../exit-code.ts'

/** Serves the one route that is limited, as the framework does it. */
export type ServeTickets = (endpoint: LoadTestEndpoint) => RequestListener | Promise<RequestListener>

interface Framework {
  readonly packages: readonly string[]
  readonly load: () => Promise<ServeTickets>
}

export type FrameworkName = 'express' | 'fastify' | 'koa'

/** Only the chosen one is loaded: two of them need not be installed. */
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

/** Rejects with a UsageError where it is not installed. */
export async function loadFramework(
  name: FrameworkName,
  { packages, load }: Framework = frameworks[name],
): Promise<ServeTickets> {
  try {
    return await load()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error
    throw new UsageError(`--framework ${name} needs what is not installed: npm install ${packages.join(' ')}`)
  }
}
