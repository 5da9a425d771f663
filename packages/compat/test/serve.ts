import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a server has answered. */
interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export interface Served {
  readonly url: string
  get(path?: string, headers?: Readonly<Record<string, string>>): Promise<Answer>
  close(): Promise<void>
}

/** An application on a real socket, at 127.0.0.1. */
export async function serve(app: RequestListener): Promise<Served> {
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    async get(path = '/', headers = {}) {
      const response = await fetch(url + path, { headers })
      return { status: response.status, headers: response.headers, text: await response.text() }
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
