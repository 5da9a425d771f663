import { describe, expect, jest, test } from '@jest/globals'
import { manualClock } from '@sluice/testing'
import { type Handed, type Member, memoryQueue, type Outcome, processor } from '../../src/index.ts'

const quiet = { warn: () => {}, error: () => {} }
const { signal } = new AbortController()

function open(limit: number, { idleClaimMs = 30_000 } = {}) {
  const clock = manualClock()
  const queue = memoryQueue<string, string>({ name: 'orders', limit, clock, logger: quiet })
  const member = queue.jobs.join({ idleClaimMs, maxAttempts: 9 })
  return { clock, queue, member }
}

async function takeOne(member: Member<string, string>): Promise<Handed<string>> {
  const [handed] = await member.take(1, signal)
  if (handed === undefined) throw new Error('took nothing')
  return handed
}

const again: Outcome<string> = { state: 'again', error: 'no', workMs: 1 }
const done: Outcome<string> = { state: 'done', result: 'yes', workMs: 1000 }

test('says once that it forgets, and goes on saying it in its health', async () => {
  const warned: string[] = []
  const heard: string[] = []
  const queue = memoryQueue({
    name: 'orders',
    limit: 3,
    logger: { warn: (line: string) => warned.push(line), error: () => {} },
    observers: [{ warned: ({ code }) => heard.push(code) }],
  })
  await queue.offer('tea')
  expect(warned).toEqual([
    '[sluice] SLUICE_QUEUE_FORGETS: the queue "orders" is kept in this process\'s memory: waiting jobs are lost when the process ends; use streamQueue with Redis to keep them (https://github.com/sluicejs/sluice/blob/main/docs/errors.md#sluice_queue_forgets)',
  ])
  expect(heard).toEqual(['SLUICE_QUEUE_FORGETS'])
  expect((await queue.health()).warnings).toEqual(['SLUICE_QUEUE_FORGETS'])
})

describe('another attempt', () => {
  // biome-ignore format: a table
  test.each([
    // idleClaim  waits before attempts 2, 3, 4, 5, 6
    [30_000,      [1000, 2000, 4000, 8000, 16_000]],
    [3000,        [1000, 2000, 3000, 3000, 3000]],
  ])('waits twice as long each time, at most an idleClaim of %i ms', async (idleClaimMs, waitsMs) => {
    const { clock, queue, member } = open(3, { idleClaimMs })
    await queue.offer('tea')
    for (const waitMs of waitsMs) {
      await member.finish(await takeOne(member), again)
      await clock.advance(waitMs - 1)
      const taking = member.take(1, signal)
      expect(await queue.health()).toMatchObject({ waiting: 1, running: 0 })
      await clock.advance(1)
      const [handed] = await taking
      expect(handed?.ticket).toBeDefined()
      if (handed !== undefined) await member.leave({ unstarted: [handed], running: [] })
    }
  })

  test('comes ahead of what never began, and keeps none of it waiting', async () => {
    const { clock, queue, member } = open(3)
    for (const job of ['tea', 'milk', 'sugar']) await queue.offer(job)
    await member.finish(await takeOne(member), again)
    expect((await takeOne(member)).job).toBe('milk')
    await clock.advance('1s')
    expect((await takeOne(member)).job).toBe('tea')
    expect((await takeOne(member)).job).toBe('sugar')
  })
})

describe('a call that finds nothing', () => {
  test('ends after a second', async () => {
    const { clock, member } = open(3)
    const taking = member.take(1, signal)
    await clock.advance('1s')
    expect(await taking).toEqual([])
  })

  test('brings what comes meanwhile', async () => {
    const { queue, member } = open(3)
    const taking = member.take(1, signal)
    await queue.offer('tea')
    expect((await taking)[0]?.job).toBe('tea')
  })

  test('ends when asked to, and takes nothing', async () => {
    const { queue, member } = open(3)
    const stop = new AbortController()
    const taking = member.take(1, stop.signal)
    stop.abort()
    expect(await taking).toEqual([])
    await queue.offer('tea')
    expect((await queue.health()).waiting).toBe(1)
  })
})

describe('waits', () => {
  test('are those that its processors show', async () => {
    const { clock, queue, member } = open(5)
    for (let i = 0; i < 5; i++) await queue.offer('tea')
    for (let i = 0; i < 3; i++) {
      const handed = await takeOne(member)
      await clock.advance('2s')
      await member.finish(handed, done)
    }
    // Two seconds from one to the next, two ahead.
    expect(await queue.offer('milk')).toMatchObject({ position: 3, waitMs: 6000 })
    await clock.advance('1s')
    await queue.offer('milk')
    await queue.offer('milk')
    // A second longer by now, shared by the two gaps that were measured.
    expect(await queue.offer('milk')).toEqual({ allowed: false, reason: 'full', retryAfterMs: 2500 })
    expect(await queue.offer('milk')).toEqual({ allowed: false, reason: 'full', retryAfterMs: 5000 })
  })

  test('are not those of a queue that was empty', async () => {
    const { clock, queue, member } = open(2)
    for (let i = 0; i < 2; i++) await queue.offer('tea')
    for (let i = 0; i < 2; i++) {
      const handed = await takeOne(member)
      await clock.advance('2s')
      await member.finish(handed, done)
    }
    await clock.advance('1h')
    for (let i = 0; i < 2; i++) await queue.offer('tea')
    expect(await queue.offer('tea')).toMatchObject({ retryAfterMs: 2000 })
  })

  test('a caller who waits as long as stated is accepted, where the processors go on as before', async () => {
    const { clock, queue, member } = open(2)
    await queue.offer('tea')
    await queue.offer('tea')
    const step = async () => {
      const handed = await takeOne(member)
      await clock.advance('2s')
      await member.finish(handed, done)
      await queue.offer('tea')
    }
    for (let i = 0; i < 4; i++) await step()
    const refused = await queue.offer('milk')
    expect(refused).toMatchObject({ retryAfterMs: 2000 })
    const handed = await takeOne(member)
    await clock.advance('2s')
    await member.finish(handed, done)
    expect(await queue.offer('milk')).toMatchObject({ allowed: true })
  })
})

describe('results', () => {
  test('are gone when their time is over, not before', async () => {
    const { clock, queue, member } = open(3)
    const offer = await queue.offer('tea')
    const ticket = offer.allowed ? offer.ticket : ''
    await member.finish(await takeOne(member), done)
    await clock.advance(3_600_000 - 1)
    expect(await queue.status(ticket)).toEqual({ state: 'done', result: 'yes' })
    await clock.advance(1)
    expect(await queue.status(ticket)).toBeUndefined()
  })

  test('are ten thousand at most: the oldest go', async () => {
    const { queue, member } = open(1)
    const tickets: string[] = []
    for (let i = 0; i < 10_001; i++) {
      const offer = await queue.offer('tea')
      if (offer.allowed) tickets.push(offer.ticket)
      await member.finish(await takeOne(member), done)
    }
    const states = await Promise.all([0, 1, 10_000].map((i) => queue.status(tickets[i] ?? '')))
    expect(states.map((status) => status?.state)).toEqual([undefined, 'done', 'done'])
  })
})

test('what a processor has left running is taken after idleClaim, and keeps nothing waiting meanwhile', async () => {
  const { clock, queue, member } = open(3)
  await queue.offer('tea')
  await queue.offer('milk')
  await member.leave({ unstarted: [], running: [await takeOne(member)] })
  await member.finish(await takeOne(member), again)
  await clock.advance('1s')
  expect(await takeOne(member)).toMatchObject({ job: 'milk', attempt: 2 })
  await clock.advance(29_000 - 1)
  const taking = member.take(1, signal)
  expect((await queue.health()).waiting).toBe(1)
  await clock.advance(1)
  expect(await taking).toMatchObject([{ job: 'tea', attempt: 2 }])
})

test('two that fail wait each for its own time', async () => {
  const { clock, queue, member } = open(3)
  await queue.offer('tea')
  await queue.offer('milk')
  const [tea, milk] = await member.take(2, signal)
  if (tea === undefined || milk === undefined) throw new Error('took too few')
  await member.finish(tea, again)
  await clock.advance(500)
  await member.finish(milk, again)
  await clock.advance(500)
  expect((await member.take(2, signal)).map(({ job }) => job)).toEqual(['tea'])
  await clock.advance(500)
  expect((await member.take(2, signal)).map(({ job }) => job)).toEqual(['milk'])
})

// biome-ignore format: a table
test.each([
  // options                        path
  [{ limit: 0 },                    'limit'],
  [{ limit: 3, name: '' },          'name'],
  [{ limit: 3, maxJobBytes: 1.5 },  'maxJobBytes'],
  [{ limit: 3, keepResults: '0s' }, 'keepResults'],
  [{ limit: 3, clock: {} },         'clock'],
  [{ limit: 3, redis: 'redis://localhost' }, 'redis'],
])('refuses %j', (options, path) => {
  const make = () => memoryQueue({ name: 'orders', logger: quiet, ...(options as { limit: number }) })
  expect(make).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path }))
})

test('warns of a number of milliseconds for which a result is hardly kept', () => {
  const warned = jest.fn()
  memoryQueue({ name: 'orders', limit: 3, keepResults: 60, observers: [{ warned }], logger: quiet })
  memoryQueue({ name: 'orders', limit: 3, keepResults: '60ms', observers: [{ warned }], logger: quiet })
  const message = "keepResults is 60 ms: for seconds write '60s'"
  const short = warned.mock.calls.flat().filter((warning) => Object(warning).code === 'SLUICE_SHORT_TIME')
  expect(short).toEqual([expect.objectContaining({ message })])
})

// biome-ignore format: a table
test.each<[string, unknown]>([
  ['a Map',                new Map([['tea', 1]])],
  ['a Set',                new Set(['tea'])],
  ['a Map within the job', { order: { items: new Map([['tea', 1]]) } }],
])('refuses %s, of which nothing would be left', async (_title, job) => {
  const queue = memoryQueue<unknown, void>({ name: 'orders', limit: 3, logger: quiet })
  await expect(queue.offer(job)).rejects.toThrow(/^job: expected a value with a JSON form, got an object \((Map|Set)\)$/)
  expect((await queue.health()).waiting).toBe(0)
})

// biome-ignore format: a table
test.each<[string, '10ms' | number, readonly string[]]>([
  ['10 for seconds',    10,     ["[sluice] SLUICE_SHORT_TIME: timeout is 10 ms: for seconds write '10s'"]],
  ['10 milliseconds',   '10ms', []],
  ['no time at all',    0,      []],
])('a processor that is stopped within %s', async (_title, timeout, warned) => {
  const queue = memoryQueue<string, void>({ name: 'orders', limit: 3, logger: quiet })
  const said: string[] = []
  const log = (text: string) => {
    said.push(text.replace(/ \(http.*/, ''))
  }
  const worker = processor(queue, async () => {}, { logger: { warn: log, error: log } })
  await worker.stop({ timeout })
  expect(said).toEqual(warned)
})
