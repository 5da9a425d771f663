import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { never, Opened } from './opened.ts'

let opened: Opened
beforeEach(() => {
  opened = new Opened()
})
afterEach(() => opened.close())

describe('what a dead member has left', () => {
  it('goes to one of eight that look for it at once, with one attempt more', async () => {
    await opened.fill(64)
    // What has been taken is held for longer than a busy machine needs for the rest.
    const [idleClaimMs, longAgoMs] = [60_000, 600_000]
    for (let attempt = 2; attempt <= 4; attempt++) {
      const dead = await opened.join({ idleClaimMs }).take(64, never)
      await opened.age(dead, 'dead', longAgoMs)
      const members = Array.from({ length: 8 }, () => opened.join({ idleClaimMs, maxAttempts: 9 }))
      const taken = (await Promise.all(members.map((member) => member.take(64, never)))).flat()
      expect(new Set(taken.map(({ mark }) => mark)).size).toBe(64)
      expect(taken.map((handed) => handed.attempt)).toEqual(Array.from({ length: 64 }, () => attempt))
      await opened.age(taken, 'dead', longAgoMs)
    }
  })

  it('is taken with what is new, together no more than there is room for', async () => {
    await opened.fill(4)
    await opened.age(await opened.join().take(1, never), 'dead')
    const taken = await opened.join().take(2, never)
    expect(taken.map(({ job }) => job.n)).toEqual([1, 2])
  })

  it('is its last attempt: one member holds one, takes nothing more, and leaves the rest to others', async () => {
    await opened.fill(5)
    const dead = await opened.join().take(3, never)
    await opened.age(dead, 'dead')
    const [one, other] = [opened.join({ maxAttempts: 2 }), opened.join({ maxAttempts: 2 })]
    const first = await one.take(5, never)
    expect(first.map(({ how, job, attempt }) => [how, job.n, attempt])).toEqual([['alone', 1, 2]])
    expect((await other.take(5, never)).map(({ how, job }) => [how, job.n])).toEqual([['alone', 2]])
    // It has not begun.
    expect(await opened.pending()).toMatchObject([{ count: 1 }, { count: 1 }, { count: 1 }])
    expect(await one.renew(first)).toEqual([])
    const [held] = first
    const begun = held && (await one.start(held))
    expect(begun).toMatchObject({ how: 'now', attempt: 2 })
  })

  it('is begun once, however often that is said', async () => {
    await opened.fill(1)
    await opened.age(await opened.join().take(1, never), 'dead')
    const member = opened.join({ maxAttempts: 2 })
    const [held] = await member.take(1, never)
    if (held === undefined) throw new Error('nothing was taken')
    expect([await member.start(held), await member.start(held)]).toMatchObject([
      { attempt: 2 },
      { attempt: 2 },
    ])
    expect(await opened.pending()).toMatchObject([{ count: 2 }])
    await opened.age([held], 'another')
    expect(await member.start(held)).toBeUndefined()
  })

  it('is spent after the last attempt: it never runs again, and is a dead letter', async () => {
    const [ticket = ''] = await opened.fill(1)
    await opened.age(await opened.join().take(1, never), 'dead')
    const member = opened.join({ maxAttempts: 1 })
    const [spent] = await member.take(1, never)
    expect(spent).toMatchObject({ how: 'spent', attempt: 1 })
    if (spent) await member.finish(spent, { state: 'failed', error: 'attempt 1 was lost', workMs: null })
    expect(await opened.queue.status(ticket)).toEqual({ state: 'failed', error: 'attempt 1 was lost' })
    const [[, fields] = []] = await opened.client.xrange(opened.key('d'), '-', '+')
    expect(fields).toEqual(['t', ticket, 'j', '{"n":1}', 'error', 'attempt 1 was lost', 'attempt', '1'])
    expect(await opened.books()).toEqual({ accepted: 1, accountedFor: 1 })
  })
})

describe('dead letters', () => {
  it('are the latest ones, no more than so many', async () => {
    const queue = opened.another({ deadLetters: 2 })
    const tickets = await opened.fill(4)
    const member = opened.join({}, queue)
    for (const handed of await member.take(4, never)) {
      await member.finish(handed, { state: 'failed', error: 'no', workMs: 1 })
    }
    const kept = await opened.client.xrange(opened.key('d'), '-', '+')
    expect(kept.map(([, [, ticket]]) => ticket)).toEqual(tickets.slice(2))
    expect(await queue.health()).toMatchObject({ dead: 4 })
  })
})

describe('a member that leaves', () => {
  it('uses no attempt of what never ran, keeps those that run, and leaves no name once nothing does', async () => {
    await opened.fill(3)
    const member = opened.join()
    const [running, unstarted, lost] = await member.take(3, never)
    if (running === undefined || unstarted === undefined || lost === undefined) throw new Error('too few')
    const [{ consumer } = { consumer: '' }] = await opened.pending()
    await member.leave({ unstarted: [unstarted], running: [running] })
    expect(await opened.pending()).toMatchObject([
      { consumer, count: 1 },
      { consumer: 'retry', count: 0 },
      // A reply that was lost brought it, so that it may have run.
      { consumer: 'retry', count: 1 },
    ])
    expect(await opened.consumers()).toEqual([consumer])
    await member.leave({ unstarted: [], running: [] })
    expect(await opened.consumers()).toEqual([])
    const taken = await opened.join().take(3, never)
    expect(taken.map(({ job, attempt }) => [job.n, attempt])).toEqual([
      [1, 2],
      [2, 1],
      [3, 2],
    ])
  })

  it('gives back a last attempt that it held, unused', async () => {
    await opened.fill(1)
    await opened.age(await opened.join().take(1, never), 'dead')
    const member = opened.join({ maxAttempts: 2 })
    await member.take(1, never)
    await member.leave({ unstarted: [], running: [] })
    expect(await opened.join({ maxAttempts: 2 }).take(1, never)).toMatchObject([{ how: 'alone', attempt: 2 }])
  })

  it('gives back all that it had, however much that is', async () => {
    const count = 1001
    const queue = opened.another({ limit: count })
    await Promise.all(Array.from({ length: count }, (_, n) => queue.offer({ n })))
    const member = opened.join({}, queue)
    expect(await member.take(count, never)).toHaveLength(count)
    await member.leave({ unstarted: [], running: [] })
    // In the group still, under the name of those that wait for another attempt.
    expect(await opened.client.xpending(opened.key('e'), 'g')).toMatchObject([
      count,
      expect.anything(),
      expect.anything(),
      [['retry', String(count)]],
    ])
  })
})
