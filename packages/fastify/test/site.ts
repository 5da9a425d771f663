import { it } from '@jest/globals'
import { type Client, inWorld, type World } from '@sluice/conformance/adapter'
import { fixedWindow } from '@sluice/core'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { type RateLimitPluginOptions, rateLimit } from '../src/index.ts'
import { start } from './start.ts'

export const tenIn10s = fixedWindow({ limit: 10, window: '10s' })
export const oneIn10s = fixedWindow({ limit: 1, window: '10s' })

/** Answers the name of the policy that binds. */
export const ok = async (request: FastifyRequest): Promise<string> => request.rateLimit?.policy ?? 'unlimited'

export async function listen(world: World, app: FastifyInstance): Promise<Client> {
  await app.listen({ port: 0, host: '127.0.0.1' })
  return world.serve({ server: app.server, handles: new Map(), close: () => app.close() })
}

/** An application with the plugin, `build` having added its routes. */
export async function site(
  world: World,
  options: RateLimitPluginOptions,
  build: (app: FastifyInstance) => unknown,
): Promise<Client> {
  const app = Fastify()
  await app.register(rateLimit, options)
  await build(app)
  return listen(world, app)
}

/** Ten by X-Key for all routes, called `all`, with the draft field, so that the names of what was counted can be read. */
export function ten(world: World): RateLimitPluginOptions {
  return world.tickets({ policy: tenIn10s, name: 'all', headers: { draft: true } })
}

/** The draft field of each path, asked one after another. */
export async function countsOf(
  client: Client,
  paths: readonly string[],
  method: string = 'GET',
): Promise<unknown[]> {
  const counts: unknown[] = []
  for (const path of paths) counts.push((await client.send({ path, method })).headers.ratelimit)
  return counts
}

export function scenario(title: string, run: (world: World) => Promise<void>): void {
  it(title, () => inWorld(start, run))
}

/** How a wrong option is reported. */
export function caughtFrom(add: () => unknown): { code: unknown; path: unknown } | undefined {
  try {
    add()
  } catch (error) {
    const { code, path } = error as { code: unknown; path: unknown }
    return { code, path }
  }
  return undefined
}
