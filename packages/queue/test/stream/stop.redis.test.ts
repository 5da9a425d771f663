import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import type { Work } from '../../src/index.ts'
import { type Job, Opened, until } from './opened.ts'

let opened: Opened
beforeEach(() => {
  opened = new Opened()
})
afterEach(() => opened.close())

describe('a processor that is stopped', () => {
  it('under load finishes what runs, uses no attempt, leaves no name, and loses nothing', async () => {
    await opened.fill(100)
    let running = 0
    let ran = 0
    const slow: Work<Job, unknown> = async (_job, { attempt }) => {
      expect(attempt).toBe(1)
      running++
      await new Promise((resolve) => setTimeout(resolve, 10))
      running--
      ran++
    }
    for (let round = 0; round < 3; round++) {
      const before = ran
      const worker = opened.work(slow, { concurrency: 8 })
      await until(() => ran > before + 5)
      await worker.stop()
      expect(running).toBe(0)
      expect(await opened.consumers()).toEqual([])
    }
    expect(await opened.queue.health()).toMatchObject({ done: ran, running: 0, waiting: 100 - ran })
    const last = opened.work(slow, { concurrency: 8 })
    await until(() => ran === 100)
    await last.stop()
    expect(await opened.books()).toEqual({ accepted: 100, accountedFor: 100 })
  })

  it('while it waits for work gives back what the wait still brings', async () => {
    const worker = opened.work(async () => {
      throw new Error('it must not run')
    })
    await until(async () => /blocked_clients:[1-9]/.test(await opened.client.info('clients')))
    const stopping = worker.stop()
    await opened.fill(1)
    await stopping
    expect(await opened.consumers()).toEqual([])
    expect(await opened.queue.health()).toMatchObject({ waiting: 1, running: 0 })
    const attempts: number[] = []
    const next = opened.work(async (_job, { attempt }) => attempts.push(attempt))
    await until(() => attempts.length === 1)
    expect(attempts).toEqual([1])
    await next.stop()
  })

  it('aborts the signals after its time-out, and leaves what still runs with its attempt', async () => {
    await opened.fill(2)
    let reason: unknown
    let started = 0
    const worker = opened.work(
      (_job, { signal }) => {
        started++
        signal.addEventListener('abort', () => {
          reason = signal.reason
        })
        return new Promise(() => {})
      },
      { concurrency: 2 },
    )
    await until(() => started === 2)
    await worker.stop({ timeout: '50ms' })
    expect(reason).toMatchObject({ code: 'SLUICE_QUEUE_STOPPED', message: 'the processor was stopped' })
    expect(await opened.pending()).toMatchObject([{ count: 1 }, { count: 1 }])
    const attempts: number[] = []
    const next = opened.work(async (_job, { attempt }) => attempts.push(attempt), { concurrency: 2 })
    await until(() => attempts.length === 2)
    expect(attempts).toEqual([2, 2])
    await next.stop()
  })

  it('twice is stopped once', async () => {
    const worker = opened.work(async () => {})
    expect(worker.stop()).toBe(worker.stop())
    await worker.stop()
  })
})
