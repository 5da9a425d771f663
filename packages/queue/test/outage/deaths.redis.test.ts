import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { Opened, until } from '../stream/opened.ts'
import { Crew } from './crew.ts'
import type { Job } from './worker.ts'

let opened: Opened
beforeEach(() => {
  opened = new Opened({ limit: 1000 })
})
afterEach(() => opened.close())

async function offerAll(jobs: readonly Job[]): Promise<void> {
  for (const job of jobs) expect(await opened.queue.offer(job)).toMatchObject({ allowed: true })
}

async function runsOf(): Promise<ReadonlyMap<number, number>> {
  const counts = Object.entries(await opened.client.hgetall(`runs:${opened.name}`))
  return new Map(counts.map(([n, count]) => [Number(n), Number(count)]))
}

describe('a processor that is killed', () => {
  it.each(['in the handler', 'at any time'])(
    '%s leaves everything to others: nothing is lost',
    async (when) => {
      const jobs = Array.from({ length: 100 }, (_, n) => ({ n, workMs: when === 'in the handler' ? 100 : 5 }))
      const crew = new Crew({ name: opened.name, limit: 1000, work: { concurrency: 8 } })
      await crew.start(2)
      await offerAll(jobs)
      await until(async () => (await runsOf()).size >= 10)
      await crew.kill()
      await until(async () => (await runsOf()).size >= 30)
      await crew.kill()
      await opened.ended(100)
      expect(crew.deaths).toBe(2)
      const runs = await runsOf()
      expect(runs.size).toBe(100)
      expect(Math.max(...runs.values())).toBeLessThanOrEqual(3)
      expect(await opened.queue.health()).toMatchObject({ done: 100, dead: 0, waiting: 0, running: 0 })
      expect(await opened.books()).toEqual({ accepted: 100, accountedFor: 100 })
      await crew.stop()
    },
  )

  it.each([1, 5])('by %d deadly jobs takes no innocent ones with it', async (deadly) => {
    const isDeadly = (n: number) => n % 60 === 0 && n < deadly * 60
    const jobs = Array.from({ length: 300 }, (_, n) => ({ n, isDeadly: isDeadly(n), workMs: 20 }))
    await offerAll(jobs)
    const crew = new Crew({ name: opened.name, limit: 1000, work: { concurrency: 8, maxAttempts: 3 } })
    await crew.start(3)
    await opened.ended(300)
    const letters = await opened.client.xrange(opened.key('d'), '-', '+')
    const dead = letters.map(
      ([, [, , , job = '', , error = '']]) => `${(JSON.parse(job) as Job).n}: ${error}`,
    )
    const expected = jobs.filter((job) => job.isDeadly).map(({ n }) => `${n}: attempt 3 was lost`)
    expect(dead.sort()).toEqual(expected.sort())
    expect(await opened.queue.health()).toMatchObject({ done: 300 - deadly, dead: deadly })
    const runs = await runsOf()
    for (const { n } of jobs.filter((job) => job.isDeadly)) expect([n, runs.get(n)]).toEqual([n, 3])
    expect(Math.max(...runs.values())).toBe(3)
    await crew.stop()
  })
})

describe('a processor that stands still for longer than idleClaim', () => {
  it('finishes too late: the entry has run twice, and one result counts', async () => {
    const offer = await opened.queue.offer({ n: 1, blockMs: 2500 } as Job)
    const crew = new Crew({ name: opened.name, limit: 1000, work: { concurrency: 1 } })
    await crew.start(2)
    await opened.ended(1)
    await until(async () => (await opened.pending()).length === 0)
    expect((await runsOf()).get(1)).toBe(2)
    expect(await opened.queue.health()).toMatchObject({ done: 1, waiting: 0, running: 0 })
    expect(offer.allowed && (await opened.queue.status(offer.ticket))).toMatchObject({ state: 'done' })
    await crew.stop()
    expect(await opened.books()).toEqual({ accepted: 1, accountedFor: 1 })
  })
})
