import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { inRedis } from '@sluice/core/internal'
import * as scripts from '../../src/stream-scripts.ts'
import { never, Opened } from './opened.ts'

let opened: Opened
beforeEach(() => {
  opened = new Opened()
})
afterEach(() => opened.close())

const done = { state: 'done', result: null, workMs: 1 } as const

/** Takes and finishes until nothing is left, as a new member; answers the jobs in their order. */
async function workOff(): Promise<readonly number[]> {
  const member = opened.join()
  const jobs: number[] = []
  for (;;) {
    const handed = await member.take(10, AbortSignal.abort())
    for (const each of handed) {
      jobs.push(each.job.n)
      expect(await member.finish(each, done)).toBe('ok')
    }
    if (handed.length === 0) return jobs
  }
}

describe('after somebody has', () => {
  it('deleted an entry that waits, the others are worked off, and no position is behind the last of them', async () => {
    const [, second = '', third = ''] = await opened.fill(3)
    const id = (await opened.client.hget(opened.key('t'), second)) ?? ''
    await opened.client.xdel(opened.key('e'), id)
    expect(await opened.queue.status(third)).toMatchObject({ position: 2 })
    expect(await workOff()).toEqual([1, 3])
    expect(await opened.queue.status(second)).toBeUndefined()
    expect(await opened.client.hlen(opened.key('t'))).toBe(0)
  })

  it('deleted entries that a dead member has, whoever finds them forgets them', async () => {
    await opened.fill(3)
    const handed = await opened.join().take(3, never)
    await opened.age(handed, 'dead')
    await opened.client.xdel(opened.key('e'), handed[0]?.mark ?? '', handed[1]?.mark ?? '')
    expect(await workOff()).toEqual([3])
    expect(await opened.pending()).toEqual([])
  })

  it('deleted one that a dead member has and that has an attempt left, the others are taken', async () => {
    await opened.fill(2)
    const handed = await opened.join().take(1, never)
    await opened.age(handed, 'dead')
    await opened.client.xdel(opened.key('e'), handed[0]?.mark ?? '')
    const taken = await opened.join({ maxAttempts: 2 }).take(2, never)
    expect(taken.map(({ job }) => job.n)).toEqual([2])
  })

  it('deleted an entry that runs, its end still counts', async () => {
    const [ticket = ''] = await opened.fill(1)
    const member = opened.join()
    const [handed] = await member.take(1, never)
    if (handed === undefined) throw new Error('nothing was taken')
    await opened.client.xdel(opened.key('e'), handed.mark)
    expect(await member.finish(handed, { state: 'failed', error: 'no', workMs: 1 })).toBe('ok')
    expect(await opened.queue.status(ticket)).toEqual({ state: 'failed', error: 'no' })
    expect(await opened.books()).toEqual({ accepted: 1, accountedFor: 1 })
  })

  it('deleted a consumer with its entries, they are handed out again, and it is said', async () => {
    const tickets = await opened.fill(3)
    await opened.join().take(2, never)
    const [consumer = ''] = await opened.consumers()
    await opened.client.xgroup('DELCONSUMER', opened.key('e'), 'g', consumer)
    const states = await Promise.all(tickets.map((ticket) => opened.queue.status(ticket)))
    expect(states).toMatchObject([{ position: 1 }, { position: 1 }, { position: 1 }])
    expect(await workOff()).toEqual([1, 2, 3])
    expect(await opened.queue.health()).toMatchObject({ done: 3, warnings: ['SLUICE_QUEUE_ORPHANS'] })
  })

  it('deleted a consumer with more than a hundred entries, all are handed out again, with all their attempts', async () => {
    const count = 101
    const queue = opened.another({ limit: count })
    await Promise.all(Array.from({ length: count }, (_, n) => queue.offer({ n })))
    await opened.join({}, queue).take(count, never)
    const [consumer = ''] = await opened.consumers()
    await opened.client.xgroup('DELCONSUMER', opened.key('e'), 'g', consumer)
    const taken = await opened.join({}, queue).take(count, never)
    expect(taken.map(({ attempt }) => attempt)).toEqual(Array.from({ length: count }, () => 1))
  })

  it('destroyed the group, nothing that waits is lost', async () => {
    await opened.fill(3)
    const member = opened.join()
    const running = await member.take(1, never)
    await opened.client.xgroup('DESTROY', opened.key('e'), 'g')
    for (const each of running) expect(await member.finish(each, done)).toBe('gone')
    expect(await member.renew(running)).toEqual(running)
    await member.leave({ unstarted: [], running: [] })
    expect(await workOff()).toEqual([1, 2, 3])
  })

  it('removed all keys, the queue begins anew', async () => {
    const [ticket = ''] = await opened.fill(3)
    const member = opened.join()
    const running = await member.take(1, never)
    await opened.client.del(...['e', 't', 'n', 'm'].map((name) => opened.key(name)))
    for (const each of running) expect(await member.finish(each, done)).toBe('gone')
    expect(await opened.queue.status(ticket)).toBeUndefined()
    expect(await opened.queue.offer({ n: 4 })).toMatchObject({ allowed: true, position: 1 })
    expect(await workOff()).toEqual([4])
    expect(await opened.books()).toEqual({ accepted: 1, accountedFor: 1 })
  })

  it('written an entry that is no job, it fails at once', async () => {
    await opened.client.xadd(opened.key('e'), '1-1', 'some', 'thing')
    await opened.fill(1)
    expect(await workOff()).toEqual([1])
    const [[, fields] = []] = await opened.client.xrange(opened.key('d'), '-', '+')
    expect(fields).toContain('the job has no JSON')
  })

  it('written a number of the right kind far ahead, offers go on', async () => {
    await opened.client.xadd(opened.key('e'), `${Date.now() + 1e9}-0`, 'some', 'thing')
    await opened.fill(2)
    expect(await workOff()).toEqual([1, 2])
  })
})

describe('names of members that died', () => {
  /** Answers the names that are left. */
  async function tidy(goneForMs: number): Promise<readonly string[]> {
    const keys = [opened.key('e'), opened.key('n')]
    await inRedis.readClient(opened.client).connect().run(scripts.tidy, keys, [1000, goneForMs])
    return opened.consumers()
  }

  it('go after so long, unless entries are left under them', async () => {
    await opened.fill(1)
    await opened.age(await opened.join().take(1, never), 'with an entry')
    await opened.client.xgroup('CREATECONSUMER', opened.key('e'), 'g', 'without')
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(await tidy(60_000)).toContain('without')
    expect(await tidy(10)).toEqual(['with an entry'])
  })
})
