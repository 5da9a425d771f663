import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type Koa from 'koa'

export interface Answer {
  readonly status: number
  readonly body: string
  readonly headers: Headers
}

/** Asks an application on a socket of its own, and closes it after. */
export async function served<T>(
  app: Koa,
  use: (get: (headers?: Record<string, string>, path?: string) => Promise<Answer>) => Promise<T>,
): Promise<T> {
  app.silent = true
  const server = createServer(app.callback())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port
  try {
    return await use(async (headers = {}, path = '/') => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers })
      return { status: response.status, body: await response.text(), headers: response.headers }
    })
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}
