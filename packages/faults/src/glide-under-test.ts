import type { StoreUnderTest } from '@sluice/conformance'
import type { GlideLike } from '@sluice/core'
import { inRedis } from '@sluice/core/internal'
import { Redis } from 'ioredis6'
import { FaultyServer } from './outage/faulty-server.ts'
import { type Connected, inVirtualTime, type VirtualTime } from './redis-under-test.ts'

/** The timeout of a request over REST, which GLIDE ignores. */
const longestMs = 20_000

/** A client of Valkey GLIDE for the server on a port. Its addon is loaded only where it is asked for, and prints nothing. */
export async function connectGlide(port: number, requestTimeout = 10_000): Promise<Connected<GlideLike>> {
  const { GlideClient, Logger } = await import('@valkey/valkey-glide')
  Logger.setLoggerConfig('off')
  const client = await GlideClient.createClient({
    addresses: [{ host: '127.0.0.1', port }],
    requestTimeout,
  })
  return { client, connection: inRedis.readClient(client, longestMs).connect(), end: () => client.close() }
}

/** The scripts of the Redis store on a real server, through GLIDE, in virtual time. GLIDE knows no unix sockets. */
export async function glideUnderTest(socket: string, options: VirtualTime = {}): Promise<StoreUnderTest> {
  const server = new FaultyServer(socket)
  await server.start()
  const connected = await connectGlide(Number(new URL(server.url).port))
  const subject = inVirtualTime(connected, new Redis({ path: socket }), options)
  return { ...subject, close: () => subject.close().then(() => server.end()) }
}
