import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { socket } from '@sluice/faults/redis-socket'
import { Redis } from 'ioredis'
import { type Check, concurrency } from '../../src/index.ts'
import type { Connection } from '../../src/redis/connection.ts'
import { fromIoredis } from '../../src/redis/connections.ts'
import { RedisStore } from '../../src/redis/store.ts'
import { checkOf } from './real-store.ts'

let client: Redis
let store: RedisStore
/** The server runs the next call after its deadline. */
let isLate = false

beforeAll(async () => {
  client = new Redis({ path: socket })
  const inner = fromIoredis(client)
  const connection: Connection = {
    run: (script, keys, args) => inner.run(script, keys, isLate ? [1, ...args.slice(1)] : args),
    send: (command, args) => inner.send(command, args),
    close: () => inner.close(),
  }
  store = new RedisStore({ connection, prefix: '', deadlineUs: 60_000_000 })
  await store.ready()
})

afterAll(async () => {
  await store.close()
  client.disconnect()
})

async function stand(check: Check, id: string, { leaves = false, late = false } = {}): Promise<string> {
  isLate = late
  const [place] = await store.line([{ check, id, priority: 0, waitedUs: 0, leaves }])
  isLate = false
  return place?.row.allowed === true ? 'holds' : place?.waits === true ? 'waits' : 'is out'
}

it('a caller that asks too late stands in line, and gets its place when it asks again', async () => {
  const check = checkOf(concurrency({ limit: 1, lease: '1h' }))
  expect(await stand(check, 'a', { late: true })).toBe('waits')
  expect(await stand(check, 'b')).toBe('waits')
  expect(await stand(check, 'a')).toBe('holds')
})

it('a caller that leaves is heard, however late', async () => {
  const check = checkOf(concurrency({ limit: 1, lease: '1h' }))
  expect(await stand(check, 'a')).toBe('holds')
  expect(await stand(check, 'a', { leaves: true, late: true })).toBe('is out')
  expect(await stand(check, 'b')).toBe('holds')
})

it('a caller whose turn is only kept waits, from its first moment on', async () => {
  const check = checkOf(concurrency({ limit: 1, lease: '1h' }))
  const kept = { check, id: 'a', priority: 0, waitedUs: 0, leaves: false, stands: true }
  expect(await store.line([kept])).toMatchObject([{ waits: true, row: { allowed: false } }])
  expect(await stand(check, 'a')).toBe('holds')
})
