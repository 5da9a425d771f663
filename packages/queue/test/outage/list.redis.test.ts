import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { bundled } from '@sluice/faults/bundle'
import { socket } from '@sluice/faults/redis-socket'
import { Redis } from 'ioredis'
import { listQueue } from '../../src/index.ts'
import { newName, quiet } from '../redis-queue.ts'

const redis = new Redis({ path: socket })
afterAll(() => redis.disconnect())

test('a process that is killed loses exactly what it had taken from a list, and the bound holds', async () => {
  const name = newName()
  const queue = listQueue<number>({ name, redis, limit: 5, logger: quiet })
  await queue.ready()
  for (let job = 1; job <= 5; job++) expect(await queue.offer(job)).toMatchObject({ allowed: true })

  const taker = fork(await bundled(path.join(__dirname, 'list-taker.ts'))(), [socket, name])
  const taken: unknown[] = []
  taker.on('message', (job) => taken.push(job))
  while (taken.length < 3) await once(taker, 'message')
  taker.kill('SIGKILL')
  await once(taker, 'exit')

  expect(taken).toEqual([1, 2, 3])
  expect(await queue.health()).toMatchObject({ waiting: 2, done: 3 })
  for (let job = 6; job <= 8; job++) expect(await queue.offer(job)).toMatchObject({ allowed: true })
  expect(await queue.offer(9)).toMatchObject({ reason: 'full' })
  const member = queue.jobs.join({ idleClaimMs: 1000, maxAttempts: 3 })
  const left = await member.take(9, new AbortController().signal)
  expect(left.map(({ job }) => job)).toEqual([4, 5, 6, 7, 8])
  await member.leave({ unstarted: [], running: [] })
  await queue.close()
})
