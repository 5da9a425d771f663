import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dashboard } from '@sluice/dashboard'
import type { DashboardOptions } from '../../src/options.ts'

/** The dashboard on a server of its own. */
export interface Served {
  readonly url: string
  readonly port: number
  close(): Promise<void>
}

export async function serve(options: DashboardOptions, port = 0): Promise<Served> {
  const page = dashboard(options)
  const server = createServer(page)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const { port: taken } = server.address() as AddressInfo // a TCP server has one
  return {
    url: `http://127.0.0.1:${taken}/`,
    port: taken,
    async close() {
      await page.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
