import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { processor } from '../../src/index.ts'
import { never, Opened, until } from './opened.ts'

let opened: Opened
beforeEach(() => {
  opened = new Opened()
})
afterEach(() => opened.close())

/** A job that runs until it is ended. */
class Gate {
  started = 0
  readonly #waiting: (() => void)[] = []

  readonly pass = (): Promise<void> => {
    this.started++
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  open(count = Number.POSITIVE_INFINITY): void {
    for (const each of this.#waiting.splice(0, count)) each()
  }
}

describe('a processor', () => {
  it('runs what was offered before and after it came, and keeps the results', async () => {
    const before = await opened.fill(3)
    opened.work(async ({ n }) => n * 10)
    const after = await opened.fill(3)
    await opened.ended(6)
    const states = await Promise.all([...before, ...after].map((ticket) => opened.queue.status(ticket)))
    expect(states).toEqual([10, 20, 30, 10, 20, 30].map((result) => ({ state: 'done', result })))
    expect(await opened.books()).toEqual({ accepted: 6, accountedFor: 6 })
  })

  it('reads no more than can start at once', async () => {
    await opened.fill(10)
    const gate = new Gate()
    opened.work(gate.pass, { concurrency: 3 })
    await until(() => gate.started === 3)
    expect(await opened.pending()).toHaveLength(3)
    gate.open(1)
    await until(() => gate.started === 4)
    expect(await opened.queue.health()).toMatchObject({ waiting: 6, running: 3, done: 1 })
    gate.open()
  })

  it('goes on with an entry that it has not renewed in time, and that nobody else has taken', async () => {
    const [ticket = ''] = await opened.fill(1)
    const gate = new Gate()
    opened.work(gate.pass, { concurrency: 2, idleClaim: '30s', maxAttempts: 3 })
    await until(() => gate.started === 1)
    const [held] = await opened.pending()
    if (held === undefined) throw new Error('nothing is pending')
    // As if it had stood still for a minute.
    await opened.client.xclaim(opened.key('e'), 'g', held.consumer, 0, held.id, 'IDLE', 60_000, 'JUSTID')
    await until(async () => (await opened.pending())[0]?.count === 2)
    gate.open()
    await opened.ended(1)
    expect(await opened.queue.status(ticket)).toMatchObject({ state: 'done' })
    expect(gate.started).toBe(1)
  })

  it('numbers the attempt, tries again, and gives up after the last', async () => {
    const [ticket = ''] = await opened.fill(2)
    const attempts: string[] = []
    opened.work(
      async ({ n }, about) => {
        attempts.push(`${n}: ${about.attempt}`)
        if (n === 1 || about.attempt === 1) throw new Error(`no ${about.attempt}`)
      },
      { maxAttempts: 2 },
    )
    await opened.ended(2)
    expect(attempts.sort()).toEqual(['1: 1', '1: 2', '2: 1', '2: 2'])
    expect(await opened.queue.status(ticket)).toEqual({ state: 'failed', error: 'no 2' })
    expect(await opened.queue.health()).toMatchObject({ done: 1, dead: 1 })
  })

  it('takes nothing more before a last attempt, and runs it alone', async () => {
    await opened.fill(1)
    const [last] = await opened.join().take(1, never)
    const gate = new Gate()
    opened.work(gate.pass, { concurrency: 8, maxAttempts: 2 })
    await opened.fill(3)
    await until(() => gate.started === 3)
    // A second later it counts as left, and the processor holds it.
    await until(async () => (await opened.pending())[0]?.consumer === (await opened.pending())[1]?.consumer)
    expect((await opened.pending())[0]).toMatchObject({ id: last?.mark, count: 1 })
    await opened.fill(1)
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(gate.started).toBe(3)
    gate.open(2)
    await opened.ended(2)
    expect(gate.started).toBe(3)
    gate.open(1)
    await until(() => gate.started === 4)
    expect(await opened.pending()).toMatchObject([{ id: last?.mark, count: 2 }])
    gate.open()
    await until(() => gate.started === 5)
    gate.open()
    await opened.ended(5)
  })

  it('finishes a spent entry without running it', async () => {
    const [ticket = ''] = await opened.fill(1)
    await opened.age(await opened.join().take(1, never), 'dead')
    let ran = 0
    opened.work(async () => ran++, { maxAttempts: 1 })
    await opened.ended(1)
    expect(ran).toBe(0)
    expect(await opened.queue.status(ticket)).toEqual({ state: 'failed', error: 'attempt 1 was lost' })
  })

  it('renews what runs longer than idleClaim, so that nobody else takes it', async () => {
    await opened.fill(1)
    const gate = new Gate()
    opened.work(gate.pass)
    opened.work(gate.pass)
    await until(() => gate.started === 1)
    await new Promise((resolve) => setTimeout(resolve, 2500))
    expect(gate.started).toBe(1)
    expect(await opened.pending()).toMatchObject([{ count: 1 }])
    gate.open()
    await opened.ended(1)
  })

  it('aborts the signal of what another has, and its late result does not count', async () => {
    const [ticket = ''] = await opened.fill(1)
    const gate = new Gate()
    let aborted = false
    opened.work(async (_job, { signal }) => {
      signal.addEventListener('abort', () => {
        aborted = true
      })
      await gate.pass()
      return 'late'
    })
    await until(() => gate.started === 1)
    const [{ id = '' } = {}] = await opened.pending()
    await opened.client.xclaim(opened.key('e'), 'g', 'another', 0, id)
    await until(() => aborted)
    gate.open()
    await opened.client.xclaim(opened.key('e'), 'g', 'another', 0, id, 'IDLE', 0, 'JUSTID')
    expect(await opened.queue.status(ticket)).toEqual({ state: 'running', attempt: 2 })
  })

  it.each([
    ['concurrency', { concurrency: 0 }],
    ['batch', { batch: 1.5 }],
    ['idleClaim', { idleClaim: '0.9s' as const }],
    ['maxAttempts', { maxAttempts: Number.NaN }],
    ['minInterval', { minInterval: -1 }],
  ])('refuses nonsense in %s', (path, options) => {
    expect(() => processor(opened.queue, async () => {}, options)).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path }),
    )
  })
})
