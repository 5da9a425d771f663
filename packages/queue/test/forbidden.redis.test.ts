import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { RedisProcess } from '@sluice/faults/outage'
import { Redis } from 'ioredis'
import { listQueue, processor, streamQueue } from '../src/index.ts'
import { deadline, newName, quiet } from './redis-queue.ts'

let server: RedisProcess
let client: Redis
beforeAll(async () => {
  server = await RedisProcess.prepare()
  await server.start()
  client = new Redis(server.url)
  await client.call('ACL', 'SETUSER', 'default', '-xadd', '-brpop')
})
afterAll(() => {
  client.disconnect()
  return server.end()
})

it('where offers need a command that the user may not run, one warning says so, and health() has its code', async () => {
  const lines: string[] = []
  const logger = { warn: (line: string) => lines.push(line), error: () => {} }
  const queue = streamQueue({ name: newName(), redis: client, limit: 10, deadline, logger })
  for (let i = 0; i < 2; i++) expect(await queue.offer(i)).toMatchObject({ reason: 'store-unavailable' })
  expect(lines.filter((line) => line.includes('SLUICE_FORBIDDEN'))).toHaveLength(1)
  expect((await queue.health()).warnings).toEqual(['SLUICE_FORBIDDEN'])
  await queue.close()
})

it('where a processor needs a command that the user may not run, its observers are warned', async () => {
  const queue = listQueue({ name: newName(), redis: client, limit: 10, deadline, logger: quiet })
  let warn: (code: string) => void = () => {}
  const code = new Promise<string>((resolve) => {
    warn = resolve
  })
  const observers = [{ warned: ({ code }: { readonly code: string }) => warn(code) }]
  const worker = processor(queue, async () => {}, { observers, logger: quiet })
  expect(await code).toBe('SLUICE_FORBIDDEN')
  await worker.stop()
  await queue.close()
})
