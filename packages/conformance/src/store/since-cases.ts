import { createLimiter, fixedWindow, type Instant, type Policy } from '@sluice/core'
import { expect } from '../runner.ts'
import { freshKey } from './asking.ts'
import type { StoreCase } from './case.ts'
import type { StoreUnderTest } from './under-test.ts'

const monthly = (limit: number) => fixedWindow({ limit, every: 'month', timeZone: 'Europe/Vienna' })

function us(time: string): number {
  return Date.parse(time) * 1000
}

interface Asked {
  readonly at: string
  readonly since?: Instant
  readonly policy?: Policy
}

/** What calls get for one key, as allowed, remaining and the end of the window. */
async function answers(
  { store, setClock }: StoreUnderTest,
  policy: Policy,
  calls: readonly Asked[],
): Promise<readonly (readonly [boolean, number, string])[]> {
  const limiter = createLimiter({ name: freshKey(), policy, store })
  const said: (readonly [boolean, number, string])[] = []
  for (const { at, ...options } of calls) {
    await setClock(us(at))
    // A store that is told the time by a server's replies hears that it is another month.
    await limiter.peek('ada', options)
    const { allowed, remaining, resetAfterMs } = await limiter.check('ada', options)
    const end = new Date(us(at) / 1000 + resetAfterMs).toISOString().replace(':00.000Z', 'Z')
    said.push([allowed, remaining, end])
  }
  await limiter.close()
  return said
}

const since = '2024-01-31T09:00:00Z'

/** Windows of the calendar that count from an instant which each call says. */
export const sinceCases: readonly StoreCase[] = [
  {
    about: 'since',
    title: 'a month begins on its own day and at its own time, on the last where a month is too short',
    async run(subject) {
      const calls = [
        { at: '2024-01-31T09:00:00Z', since },
        { at: '2024-02-29T08:59:59Z', since: new Date(since) },
        { at: '2024-02-29T09:00:00Z', since: Date.parse(since) },
        { at: '2024-03-31T07:59:00Z', since },
        { at: '2024-03-31T08:00:00Z', since },
      ]
      expect(await answers(subject, monthly(2), calls)).toEqual([
        [true, 1, '2024-02-29T09:00Z'],
        [true, 0, '2024-02-29T09:00Z'],
        [true, 1, '2024-03-31T08:00Z'],
        [true, 0, '2024-03-31T08:00Z'],
        [true, 1, '2024-04-30T08:00Z'],
      ])
    },
  },
  {
    about: 'since',
    title: 'a call that says another instant loses nothing: the count goes on to the later end',
    async run(subject) {
      const [early, late] = ['2024-01-10T00:00:00Z', '2024-01-20T00:00:00Z']
      const calls = [
        { at: '2024-03-05T00:00:00Z', since: early },
        { at: '2024-03-05T00:00:00Z', since: late },
        { at: '2024-03-06T00:00:00Z', since: early },
        { at: '2024-03-15T00:00:00Z', since: early },
        { at: '2024-03-20T00:00:00Z', since: late },
      ]
      expect(await answers(subject, monthly(3), calls)).toEqual([
        [true, 2, '2024-03-10T00:00Z'],
        [true, 1, '2024-03-20T00:00Z'],
        [true, 0, '2024-03-20T00:00Z'],
        [false, 0, '2024-03-20T00:00Z'],
        // One o'clock in Vienna, where it is summer by then.
        [true, 2, '2024-04-19T23:00Z'],
      ])
    },
  },
  {
    about: 'since',
    title: 'holds for the policy of the call too, and calls without it follow its calendar',
    async run(subject) {
      const policy = fixedWindow({ limit: 5, every: 'week from sunday', timeZone: 'UTC' })
      const calls = [
        { at: '2024-06-12T12:00:00Z', since: '2024-06-04T15:30:00Z', policy },
        { at: '2024-06-18T15:30:00Z', policy },
      ]
      expect(await answers(subject, monthly(3), calls)).toEqual([
        [true, 4, '2024-06-18T15:30Z'],
        [true, 4, '2024-06-23T00:00Z'],
      ])
    },
  },
]
