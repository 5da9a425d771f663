import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'

export interface Answer {
  readonly status: number
  readonly body: string
  readonly headers: Headers
}

export type Get = (path?: string, headers?: Record<string, string>) => Promise<Answer>

/** Asks an application on a socket of its own, and closes it after. */
export async function served<T>(
  build: (app: FastifyInstance) => unknown,
  use: (get: Get, app: FastifyInstance) => Promise<T>,
  options: FastifyServerOptions = {},
): Promise<T> {
  // Tests have only one address: a proxy names the client.
  const app = Fastify({ trustProxy: '127.0.0.1', forceCloseConnections: true, ...options })
  try {
    await build(app)
    const origin = await app.listen({ host: '127.0.0.1', port: 0 })
    return await use(async (path = '/', headers = {}) => {
      const response = await fetch(origin + path, { headers })
      return { status: response.status, body: await response.text(), headers: response.headers }
    }, app)
  } finally {
    await app.close()
  }
}
