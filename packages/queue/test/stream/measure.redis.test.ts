import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { type Measure, measureFinish, nextPlace, unmeasured, waitMs } from '../../src/drain.ts'
import { never, Opened } from './opened.ts'

let opened: Opened
beforeEach(() => {
  opened = new Opened()
})
afterEach(() => opened.close())

const fields = ['n0', 'b0', 'n1', 'b1', 'last', 'u', 'work', 'since', 'v'] as const

async function measured(): Promise<Measure> {
  const [
    gaps = 0,
    gapsUs = 0,
    pastGaps = 0,
    pastGapsUs = 0,
    lastUs = 0,
    busy = 0,
    workUs = 0,
    sinceUs = 0,
    returnUs = 0,
  ] = (await opened.client.hmget(opened.key('m'), ...fields)).map(Number)
  return { gaps, gapsUs, pastGaps, pastGapsUs, lastUs, busy: busy === 1, workUs, sinceUs, returnUs }
}

describe('the measure in Redis', () => {
  it('is that of the other queues, finish for finish', async () => {
    await opened.fill(80)
    const member = opened.join()
    let expected: Measure = { ...unmeasured, sinceUs: (await measured()).sinceUs }
    for (let left = 79; left >= 0; left--) {
      // The last ones are taken together, so that nothing waits behind them.
      const room = left >= 10 ? 1 : 10
      const handed = left >= 9 ? await member.take(room, never) : []
      for (const each of handed) {
        const workMs = (left * 7) % 5
        await member.finish(each, { state: 'done', result: null, workMs })
        const { lastUs } = await measured()
        const waiting = left >= 10
        const { workUs } = await measured()
        expected = measureFinish(expected, lastUs, { workedUs: workMs * 1000, waiting })
        // It is kept in whole microseconds.
        expect(Math.abs(workUs - expected.workUs)).toBeLessThan(1)
        expected = { ...expected, workUs }
        expect(await measured()).toEqual(expected)
      }
    }
    expect(expected).toMatchObject({ gaps: 70 - 64, pastGaps: 32, busy: false })
  })

  it('counts no work where none was done', async () => {
    await opened.fill(2)
    const member = opened.join()
    const [one, other] = await member.take(2, never)
    if (one && other) {
      await member.finish(one, { state: 'done', result: null, workMs: 8 })
      await member.finish(other, { state: 'failed', error: 'lost', workMs: null })
    }
    expect(await measured()).toMatchObject({ workUs: 8000 })
  })

  const agoUs = (us: number) => Date.now() * 1000 - us

  // biome-ignore format: a table
  it.each<[what: string, measure: Partial<Measure>]>([
    ['nothing yet',                 {}],
    ['finishes and their gaps',     { gaps: 10, gapsUs: 5e6, pastGaps: 32, pastGapsUs: 20e6, lastUs: agoUs(2e5), workUs: 3e5, busy: true }],
    ['work alone',                  { lastUs: agoUs(1e5), workUs: 5e6 }],
    ['processors that are dead',    { gaps: 10, gapsUs: 1e6, lastUs: agoUs(60e6), workUs: 1e5, busy: true }],
    ['callers sent far ahead',      { gaps: 10, gapsUs: 1e6, lastUs: agoUs(1e5), workUs: 1e5, returnUs: agoUs(-3600e6) }],
  ])('gives refused callers places by what was measured: %s', async (_what, measure) => {
    const queue = opened.another({ limit: 2 })
    await opened.fill(2)
    const before = { ...unmeasured, sinceUs: agoUs(90e6), ...measure }
    const { gaps, gapsUs, pastGaps, pastGapsUs, lastUs, workUs, sinceUs, returnUs } = before
    const values = [gaps, gapsUs, pastGaps, pastGapsUs, lastUs, 1, workUs, sinceUs, returnUs]
    await opened.client.hset(opened.key('m'), ...fields.flatMap((field, i) => [field, String(values[i])]))
    for (let last = before, i = 0; i < 3; i++) {
      const offer = await queue.offer({ n: 3 })
      if (offer.allowed || offer.retryAfterMs === null) throw new Error('it is not full')
      const after = await measured()
      const nowUs = after.returnUs - offer.retryAfterMs * 1000
      const expected = nextPlace(last, nowUs, { limit: 2, waiting: true })
      // The instant is known to a millisecond, as the answer is, and counts twice in a place two gaps away.
      expect(Math.abs(offer.retryAfterMs - expected.retryAfterUs / 1000)).toBeLessThan(4)
      last = after
    }
  })

  it('says when a waiting ticket will be done', async () => {
    const [, ticket = ''] = await opened.fill(2)
    expect(await opened.queue.status(ticket)).toEqual({ state: 'waiting', position: 2, waitMs: null })
    const measure = { gaps: 10, gapsUs: 10e6, lastUs: Date.now() * 1000, workUs: 4e5 }
    await opened.client.hset(
      opened.key('m'),
      'n0',
      10,
      'b0',
      10e6,
      'last',
      measure.lastUs,
      'work',
      4e5,
      'u',
      1,
    )
    const status = await opened.queue.status(ticket)
    const expectedMs = Number(waitMs({ ...unmeasured, ...measure }, measure.lastUs, 2))
    expect(status?.state === 'waiting' && status.waitMs).toBeGreaterThanOrEqual(expectedMs)
    // No more than what has passed meanwhile.
    const passedMs = Date.now() - measure.lastUs / 1000
    expect(status?.state === 'waiting' && status.waitMs).toBeLessThanOrEqual(expectedMs + passedMs + 1)
    const another = await opened.another().offer({ n: 3 })
    expect(another.allowed && another.waitMs).toBeGreaterThanOrEqual((expectedMs * 3) / 2)
  })
})
