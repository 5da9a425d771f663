import { expect } from '@jest/globals'
import type { Warning } from '@sluice/core'
import type { QueueCase } from './case.ts'
import type { QueueUnderTest } from './under-test.ts'
import { again, done, failed, fill, join, takeAll, takeOne } from './working.ts'

async function showsResults({ queue }: QueueUnderTest): Promise<void> {
  const [ticket = ''] = await fill(queue, ['tea'])
  const member = join(queue)
  const handed = await takeOne(member)
  expect(await queue.status(ticket)).toEqual({ state: 'running', attempt: 1 })
  expect(await member.finish(handed, done({ cups: 2 }))).toBe('ok')
  expect(await queue.status(ticket)).toEqual({ state: 'done', result: { cups: 2 } })
}

async function endsOnce({ queue }: QueueUnderTest): Promise<void> {
  const [ticket = ''] = await fill(queue, ['tea'])
  const member = join(queue)
  const handed = await takeOne(member)
  await member.finish(handed, done('first'))
  expect(await member.finish(handed, failed('second'))).toBe('gone')
  expect(await queue.status(ticket)).toEqual({ state: 'done', result: 'first' })
  expect(await queue.health()).toMatchObject({ done: 1, dead: 0 })
}

async function forgetsResults({ queue }: QueueUnderTest): Promise<void> {
  const [ticket = ''] = await fill(queue, ['tea'])
  const member = join(queue)
  await member.finish(await takeOne(member), done(1))
  const untilMs = performance.now() + 30_000
  while ((await queue.status(ticket)) !== undefined) expect(performance.now()).toBeLessThan(untilMs)
}

/** A result that cannot be kept is no reason to do the work again. */
async function boundsResults({ queue, buried }: QueueUnderTest): Promise<void> {
  const member = join(queue)
  const results = ['é'.repeat(49), 'é'.repeat(50), 7n, undefined]
  const states: unknown[] = []
  for (const result of results) {
    const [ticket = ''] = await fill(queue, ['tea'])
    await member.finish(await takeOne(member), done(result))
    states.push((await queue.status(ticket))?.state)
  }
  expect(states).toEqual(['done', 'failed', 'failed', 'done'])
  expect((await buried?.())?.map(({ error }) => error)).toEqual([
    'the result has more than 100 bytes of JSON',
    expect.stringMatching(/^the result cannot be written as JSON: /),
  ])
}

async function triesAgain({ queue }: QueueUnderTest): Promise<void> {
  const [ticket = ''] = await fill(queue, ['tea'])
  const member = join(queue, { idleClaimMs: 20 })
  expect(await member.finish(await takeOne(member), again('spilled'))).toBe('ok')
  expect(await queue.status(ticket)).toMatchObject({ state: 'waiting', position: 1 })
  const second = await takeOne(member)
  expect(second).toMatchObject({ ticket, job: 'tea', attempt: 2, how: 'now' })
  await member.finish(second, done('at last'))
  expect(await queue.status(ticket)).toEqual({ state: 'done', result: 'at last' })
}

/** A member that has an entry for the second time has its first attempt no longer. */
async function endsOldAttempts({ queue }: QueueUnderTest): Promise<void> {
  const [ticket = ''] = await fill(queue, ['tea'])
  const member = join(queue, { idleClaimMs: 20 })
  const first = await takeOne(member)
  await member.finish(first, again('spilled'))
  const second = await takeOne(member)
  expect(await member.renew([first, second])).toEqual([first])
  expect(await member.finish(first, done('late'))).toBe('lost')
  expect(await member.finish(first, again('late'))).toBe('lost')
  expect(await queue.status(ticket)).toEqual({ state: 'running', attempt: 2 })
  expect(await member.finish(second, done('in time'))).toBe('ok')
  expect(await queue.status(ticket)).toEqual({ state: 'done', result: 'in time' })
}

async function staysInTheBound({ queue }: QueueUnderTest): Promise<void> {
  await fill(queue, ['tea', 'milk'])
  const member = join(queue)
  await member.finish(await takeOne(member), again('spilled'))
  expect(await queue.offer('sugar')).toMatchObject({ reason: 'full' })
  expect(await queue.health()).toMatchObject({ waiting: 2, running: 0, done: 0 })
}

async function buriesTheLatest({ queue, buried }: QueueUnderTest): Promise<void> {
  const member = join(queue, { idleClaimMs: 20 })
  const tickets = await fill(queue, ['tea', 'milk', 'sugar'])
  const [tea, milk, sugar] = await takeAll(member, 3)
  if (tea === undefined || milk === undefined || sugar === undefined) throw new Error('took too few')
  await member.finish(tea, failed('spilled'))
  await member.finish(milk, again('sour'))
  await member.finish(await takeOne(member), failed('still sour'))
  await member.finish(sugar, failed(`${'x'.repeat(1023)}é`))
  expect(await queue.health()).toMatchObject({ waiting: 0, running: 0, done: 0, dead: 3 })
  expect(await buried?.()).toEqual([
    { ticket: tickets[1], job: 'milk', attempt: 2, error: 'still sour' },
    { ticket: tickets[2], job: 'sugar', attempt: 1, error: 'x'.repeat(1023) },
  ])
  expect(await queue.status(tickets[0] ?? '')).toEqual({ state: 'failed', error: 'spilled' })
}

async function givesEachToOne({ queue }: QueueUnderTest): Promise<void> {
  const tickets = await fill(
    queue,
    Array.from({ length: 40 }, (_, i) => i),
  )
  const members = Array.from({ length: 4 }, () => join(queue))
  const taken = await Promise.all(members.map((member) => takeAll(member, 10)))
  expect(new Set(taken.flat().map(({ ticket }) => ticket))).toEqual(new Set(tickets))
  for (const member of members) expect(await member.renew([])).toEqual([])
}

/** What the latest call of a stopped processor still brought. */
async function givesBackUnstarted({ queue }: QueueUnderTest): Promise<void> {
  const [ticket] = await fill(queue, ['tea'])
  const leaving = join(queue)
  const handed = await takeOne(leaving)
  await leaving.leave({ unstarted: [handed], running: [] })
  expect(await queue.status(ticket ?? '')).toMatchObject({ state: 'waiting', position: 1 })
  expect(await takeOne(join(queue))).toMatchObject({ ticket, attempt: 1, how: 'now' })
}

/** Work that outlasted its processor's stop: another may do it once it was idle for so long, and one result counts. */
async function leavesWhatRuns({ queue }: QueueUnderTest): Promise<void> {
  const [ticket = ''] = await fill(queue, ['tea'])
  const leaving = join(queue, { idleClaimMs: 50 })
  const handed = await takeOne(leaving)
  await leaving.leave({ unstarted: [], running: [handed] })
  const next = join(queue, { idleClaimMs: 50 })
  const claimed = await takeOne(next)
  expect(claimed).toMatchObject({ ticket, attempt: 2, how: 'now' })
  expect(await leaving.renew([handed])).toEqual([handed])
  expect(await leaving.finish(handed, done('late'))).toBe('lost')
  expect(await next.renew([claimed])).toEqual([])
  expect(await next.finish(claimed, done('in time'))).toBe('ok')
  expect(await queue.status(ticket)).toEqual({ state: 'done', result: 'in time' })
}

/** Attempts used up by processors that never finished: it does not run once more. */
async function spendsAttempts({ queue }: QueueUnderTest): Promise<void> {
  const [ticket = ''] = await fill(queue, ['tea'])
  const options = { idleClaimMs: 20, maxAttempts: 1 }
  const leaving = join(queue, options)
  await leaving.leave({ unstarted: [], running: [await takeOne(leaving)] })
  const next = join(queue, options)
  const spent = await takeOne(next)
  expect(spent).toMatchObject({ ticket, how: 'spent', attempt: 1 })
  await next.finish(spent, { state: 'failed', error: 'attempt 1 was lost', workMs: null })
  expect(await queue.status(ticket)).toEqual({ state: 'failed', error: 'attempt 1 was lost' })
}

const heard: string[] = []
const listener = { warned: ({ code, message }: Warning) => heard.push(`${code}: ${message}`) }

/** Its ticket shows clients no more than that it has failed. */
async function reportsFailuresToObservers({ queue }: QueueUnderTest): Promise<void> {
  const [tea = ''] = await fill(queue, ['tea', 'milk'])
  heard.length = 0
  const member = join(queue, { idleClaimMs: 20 })
  const [first, second] = await takeAll(member, 2)
  if (first === undefined || second === undefined) throw new Error('took too few')
  await member.finish(first, failed('spilled'))
  await member.finish(first, failed('spilled'))
  await member.finish(second, again('sour'))
  const why = `has failed for good: spilled (ticket ${tea})`
  expect(heard).toEqual([`SLUICE_QUEUE_JOB_FAILED: a job of the queue "${queue.name}" ${why}`])
  expect((await queue.health()).warnings).toContain('SLUICE_QUEUE_JOB_FAILED')
}

async function reportsItsHealth({ queue }: QueueUnderTest): Promise<void> {
  expect(await queue.health()).toMatchObject({ waiting: 0, running: 0, oldestMs: null, done: 0, dead: 0 })
  await fill(queue, ['tea', 'milk', 'sugar'])
  const member = join(queue)
  await member.finish(await takeOne(member), done(1))
  await takeOne(member)
  const { oldestMs, ...health } = await queue.health()
  expect(health).toMatchObject({ waiting: 1, running: 1, done: 1, dead: 0 })
  expect(oldestMs).toBeGreaterThanOrEqual(0)
  expect(oldestMs).toBeLessThan(10_000)
}

export const workCases: readonly QueueCase[] = [
  { about: 'results', title: 'are shown by the ticket', wanted: { limit: 5 }, run: showsResults },
  { about: 'results', title: 'are the first that was said', wanted: { limit: 5 }, run: endsOnce },
  {
    about: 'results',
    title: 'are kept for a time',
    wanted: { limit: 5, keepResults: '50ms' },
    run: forgetsResults,
  },
  {
    about: 'results',
    title: 'are no larger than a job',
    wanted: { limit: 5, maxJobBytes: 100 },
    run: boundsResults,
  },
  { about: 'attempts', title: 'follow each other', wanted: { limit: 5 }, run: triesAgain },
  {
    about: 'attempts',
    title: 'that are older count no more, of the same member either',
    wanted: { limit: 5 },
    run: endsOldAttempts,
  },
  { about: 'attempts', title: 'stay in the bound between', wanted: { limit: 2 }, run: staysInTheBound },
  { about: 'attempts', title: 'are no more than allowed', wanted: { limit: 5 }, run: spendsAttempts },
  {
    about: 'dead letters',
    title: 'are the latest',
    wanted: { limit: 5, deadLetters: 2 },
    run: buriesTheLatest,
  },
  {
    about: 'failures',
    title: 'are reported to observers, each once',
    wanted: { limit: 5, observers: [listener] },
    run: reportsFailuresToObservers,
  },
  { about: 'members', title: 'get each entry once', wanted: { limit: 40 }, run: givesEachToOne },
  { about: 'members', title: 'give back what never ran', wanted: { limit: 5 }, run: givesBackUnstarted },
  { about: 'members', title: 'leave what runs', wanted: { limit: 5 }, run: leavesWhatRuns },
  { about: 'health', title: 'counts', wanted: { limit: 5 }, run: reportsItsHealth },
]
