import type { StoreUnderTest } from '@sluice/conformance'
import { inRedis } from '@sluice/core/internal'
import { Redis } from 'ioredis6'
import { inVirtualTime, type VirtualTime } from '../redis-under-test.ts'
import { RestFront } from './rest-front.ts'

/** The scripts of the Redis store on a real server behind an HTTP front, in virtual time. */
export async function restUnderTest(socket: string, options: VirtualTime = {}): Promise<StoreUnderTest> {
  const front = new RestFront(socket)
  await front.start()
  const connection = inRedis.readClient({ url: front.url, token: () => front.token }, 20_000).connect()
  const subject = inVirtualTime({ connection, end: () => {} }, new Redis({ path: socket }), options)
  return { ...subject, close: () => subject.close().then(() => front.end()) }
}
