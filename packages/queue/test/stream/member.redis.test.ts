import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import type { Finished, Handed, Member } from '../../src/index.ts'
import { type Job, never, Opened } from './opened.ts'

let opened: Opened
beforeEach(() => {
  opened = new Opened()
})
afterEach(() => opened.close())

const done = { state: 'done', result: null, workMs: 1 } as const
const again = { state: 'again', error: 'no', workMs: 1 } as const

const finishAll = (member: Member<Job, unknown>, handed: readonly Handed<Job>[]): Promise<Finished[]> =>
  Promise.all(handed.map((each) => member.finish(each, done)))

describe('a member of a stream queue', () => {
  it('takes in the order of arrival, no more than it has room for', async () => {
    await opened.fill(5)
    const member = opened.join()
    const handed = [...(await member.take(2, never)), ...(await member.take(10, never))]
    expect(handed.map(({ how, job, attempt }) => `${how} ${job.n} ${attempt}`)).toEqual(
      [1, 2, 3, 4, 5].map((n) => `now ${n} 1`),
    )
  })

  it('waits for what is offered after it has asked', async () => {
    const member = opened.join()
    const taking = member.take(3, never)
    await opened.fill(1)
    expect(await taking).toMatchObject([{ how: 'now', job: { n: 1 }, attempt: 1 }])
    await member.leave({ unstarted: [], running: [] })
  })

  it('ends an entry once, however often it says so', async () => {
    await opened.fill(1)
    const member = opened.join()
    const handed = await member.take(1, never)
    expect([await finishAll(member, handed), await finishAll(member, handed)]).toEqual([['ok'], ['gone']])
    expect(await opened.queue.health()).toMatchObject({ waiting: 0, running: 0, done: 1, dead: 0 })
  })

  it('loses what another has taken over, and then writes nothing', async () => {
    await opened.fill(1)
    const [late, other] = [opened.join(), opened.join()]
    const handed = await late.take(1, never)
    expect(await late.renew(handed)).toEqual([])
    await opened.age(handed, consumerOf(await opened.pending()))
    const taken = await other.take(1, never)
    expect(taken).toMatchObject([{ how: 'now', attempt: 2 }])
    expect(await late.renew(handed)).toEqual(handed)
    expect(await finishAll(late, handed)).toEqual(['lost'])
    expect(await opened.client.xlen(opened.key('e'))).toBe(1)
    expect(await finishAll(other, taken)).toEqual(['ok'])
    expect(await finishAll(late, handed)).toEqual(['gone'])
    expect(await opened.queue.health()).toMatchObject({ done: 1 })
  })

  it('keeps what it renews', async () => {
    await opened.fill(1)
    const [member, other] = [opened.join(), opened.join()]
    const handed = await member.take(1, never)
    await opened.age(handed, consumerOf(await opened.pending()))
    await member.renew(handed)
    expect(await other.take(1, AbortSignal.abort())).toEqual([])
    expect(await opened.pending()).toMatchObject([{ count: 1 }])
  })

  it.each([
    // attempt, idleClaim in s, back-off in s
    [1, 30, 1],
    [2, 30, 2],
    [3, 30, 4],
    [3, 3, 3],
  ])(
    'puts back attempt %d of work that failed, with idleClaim %d s, for %d s',
    async (attempt, idleS, backoffS) => {
      await opened.fill(1)
      const member = opened.join({ idleClaimMs: idleS * 1000, maxAttempts: 9 })
      const [handed] = await member.take(1, never)
      if (handed === undefined) throw new Error('nothing was taken')
      await opened.client.xclaim(
        opened.key('e'),
        'g',
        consumerOf(await opened.pending()),
        0,
        handed.mark,
        'RETRYCOUNT',
        attempt,
        'JUSTID',
      )
      expect(await member.finish({ ...handed, attempt }, again)).toBe('ok')
      const [[, consumer, idleMs, count] = []] = (await opened.client.xpending(
        opened.key('e'),
        'g',
        '-',
        '+',
        1,
      )) as [string, string, number, number][]
      expect({ consumer, count }).toEqual({ consumer: 'retry', count: attempt })
      expect(Math.round((idleS * 1000 - Number(idleMs)) / 1000)).toBe(backoffS)
    },
  )
})

function consumerOf(pending: readonly { readonly consumer: string }[]): string {
  return pending[0]?.consumer ?? ''
}
