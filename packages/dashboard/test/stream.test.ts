import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, test } from '@jest/globals'
import { memorySink, recorder } from '@sluice/telemetry'
import { dashboard } from '../src/index.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

test('a server that closes does not wait for the connections of pages that looked', async () => {
  const seen = recorder(memorySink())
  const page = dashboard({ recorder: seen })
  const server = http.createServer({ keepAliveTimeout: 0 }, page).listen(0, '127.0.0.1')
  const agent = new http.Agent({ keepAlive: true })
  ends.push(
    () => seen.close(),
    () => server.closeAllConnections(),
    () => agent.destroy(),
  )
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  const [response] = await once(http.get({ port, host: '127.0.0.1', path: '/stream', agent }), 'response')
  response.resume()
  server.close()
  await page.close()
  await once(server, 'close')
})
