import { expect } from '@jest/globals'
import { processor } from '@sluice/queue'
import type { QueueCase } from './case.ts'
import type { QueueUnderTest } from './under-test.ts'
import { fill } from './working.ts'

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i)

/** A promise, and what settles it. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

async function doesAll({ queue }: QueueUnderTest): Promise<void> {
  const jobs = upTo(20)
  await fill(queue, jobs)
  const ran: unknown[] = []
  const all = gate()
  let running = 0
  let most = 0
  const worker = processor(
    queue,
    async (job) => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setImmediate(resolve))
      running--
      ran.push(job)
      if (ran.length === jobs.length) all.open()
      return job
    },
    { concurrency: 3 },
  )
  await all.opened
  await worker.stop()
  expect(ran.toSorted((a, b) => Number(a) - Number(b))).toEqual(jobs)
  expect(most).toBe(3)
  expect(await queue.health()).toMatchObject({ waiting: 0, running: 0, done: 20, dead: 0 })
}

async function stopsGracefully({ queue }: QueueUnderTest): Promise<void> {
  await fill(queue, upTo(3))
  const [begun, finish] = [gate(), gate()]
  const ran: unknown[] = []
  const worker = processor(queue, async (job) => {
    begun.open()
    await finish.opened
    ran.push(job)
    return job
  })
  await begun.opened
  const stopped = worker.stop()
  finish.open()
  await stopped
  expect(ran).toEqual([0])
  expect(await queue.health()).toMatchObject({ waiting: 2, running: 0, done: 1 })
}

async function stopsIdle({ queue }: QueueUnderTest): Promise<void> {
  const worker = processor(queue, async (job) => job)
  await new Promise((resolve) => setImmediate(resolve))
  await worker.stop()
  await fill(queue, [1])
  expect(await queue.health()).toMatchObject({ waiting: 1, running: 0 })
}

export const processorCases: readonly QueueCase[] = [
  { about: 'processors', title: 'do all that was offered', wanted: { limit: 20 }, run: doesAll },
  { about: 'processors', title: 'finish what runs when stopped', wanted: { limit: 5 }, run: stopsGracefully },
  { about: 'processors', title: 'stop while they wait for work', wanted: { limit: 5 }, run: stopsIdle },
]
