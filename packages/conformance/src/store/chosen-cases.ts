import {
  type Check,
  concurrency,
  createLimiter,
  type Duration,
  fixedWindow,
  gcra,
  type Policy,
  reservable,
  slidingWindowLog,
  tokenBucket,
} from '@sluice/core'
import { definitions } from '@sluice/core/internal'
import { everyStrategy } from '../every-strategy.ts'
import { expect } from '../runner.ts'
import { askOne, change, checkOf, freshKey, manage } from './asking.ts'
import type { StoreCase } from './case.ts'
import { baseUs, type StoreUnderTest } from './under-test.ts'

const second = 1_000_000

interface Two {
  readonly long: Policy
  readonly short: Policy
}

const [hourly, secondly] = [everyStrategy(3, '1h'), everyStrategy(100, '1s')]
const pairs: readonly Two[] = Object.entries(hourly).flatMap(([name, long]) => {
  const short: Policy | undefined = Reflect.get(secondly, name)
  return short === undefined || name === 'concurrency' ? [] : { long, short }
})

/** What a call with a short window may do to a key whose long window is used up. */
const acts: readonly { readonly title: string; run(subject: StoreUnderTest, check: Check): Promise<void> }[] =
  [
    { title: 'a check', run: async ({ store }, check) => void (await askOne(store, check)) },
    { title: 'a peek', run: async ({ store }, check) => void (await askOne(store, check, { take: false })) },
    {
      title: 'a reservation',
      run: async ({ store }, check) => void (await askOne(store, check, { maxWaitUs: second })),
    },
    { title: 'a penalty', run: ({ store }, check) => change(store, [{ check, receipt: null, byUnits: 1 }]) },
    {
      title: 'a check that is given back',
      async run({ store }, check) {
        const { receipt } = await askOne(store, check)
        if (receipt !== '') await change(store, [{ check, receipt, byUnits: -check.cost }])
      },
    },
    {
      title: 'an inspection',
      run: async ({ store }, check) => void (await store.manage({ op: 'inspect', check })),
    },
  ]

/** Refused at once and long after the short window, by each way of mixing: a limiter with its own policy, and one without. */
async function staysRefused(
  subject: StoreUnderTest,
  { long, short }: Two,
  act: (typeof acts)[number],
): Promise<void> {
  for (const own of [long, definitions.chosenFor(long)]) {
    const check = checkOf(own, freshKey())
    const brief = { ...check, policy: definitions.chosenFor(short) }
    await subject.setClock(baseUs)
    for (let i = 0; i < 4; i++) await askOne(subject.store, check)
    const before = await askOne(subject.store, check)
    expect(before).toMatchObject({ allowed: false, reason: 'limited' })
    for (const atUs of [0, 2_100_000, 60 * second]) {
      await subject.setClock(baseUs + atUs)
      await act.run(subject, brief)
      const { allowed, retryAfterUs } = await askOne(subject.store, check)
      expect({ atUs, allowed }).toEqual({ atUs, allowed: false })
      expect(retryAfterUs).toBeGreaterThanOrEqual(before.retryAfterUs - atUs)
    }
  }
}

const byClock: Two = {
  long: fixedWindow({ limit: 3, window: '1h', start: 'clock' }),
  short: fixedWindow({ limit: 100, window: '1s', start: 'clock' }),
}
const byCalendar: Two = {
  long: fixedWindow({ limit: 3, every: 'day', timeZone: 'Europe/Vienna' }),
  short: fixedWindow({ limit: 100, window: '1s' }),
}

/** A key's window is opened by calls with a short one, time after time: under the long one no more pass than it says. */
async function countsOnInLongWindow(subject: StoreUnderTest, { long, short }: Two): Promise<void> {
  const ways = [
    [long, definitions.chosenFor(short, long)],
    [definitions.chosenFor(long, short), short],
    [definitions.chosenFor(long), definitions.chosenFor(short)],
  ] as const
  for (const [slow, quick] of ways) {
    const check = checkOf(slow, freshKey())
    const brief = { ...check, policy: quick }
    let admitted = 0
    for (let atUs = 0; atUs < 10 * second; atUs += second + 1000) {
      await subject.setClock(baseUs + atUs)
      await askOne(subject.store, brief)
      for (let i = 0; i < 3; i++) if ((await askOne(subject.store, check)).allowed) admitted++
    }
    expect(admitted).toBeLessThanOrEqual(3)
  }
}

const rates: { readonly [name: string]: (count: number, period: Duration) => Policy } = {
  gcra: (count, period) => gcra({ count, period }),
  tokenBucket: (count, period) => tokenBucket({ capacity: count, count, period }),
}

/** Calls at two other rates, one while the other still counts, do not let what was charged at the first drain sooner. */
async function drainsAtOwnRate(
  subject: StoreUnderTest,
  make: (count: number, period: Duration) => Policy,
): Promise<void> {
  const { store, setClock } = subject
  for (const own of [make(5, '1h'), definitions.chosenFor(make(5, '1h'))]) {
    const check = checkOf(own, freshKey())
    const others = [make(1000, '10s'), make(1000, '20s')].map((policy) => ({
      ...check,
      policy: definitions.chosenFor(policy),
    }))
    let admitted = 0
    for (let atUs = 0; atUs < 3600 * second; ) {
      await setClock(baseUs + atUs)
      const { allowed, retryAfterUs } = await askOne(store, check)
      atUs += retryAfterUs
      if (!allowed) continue
      admitted++
      for (const other of others) {
        await setClock(baseUs + atUs)
        await askOne(store, other)
        atUs += 9000
      }
      atUs += 10_000
    }
    // A burst of five, and five in an hour.
    expect(admitted).toBeLessThanOrEqual(10)
  }
}

/** Six of eleven are left: a rate that is raised a hundredfold lets these pass, and what comes after at its own pace. */
async function raisedRate(
  subject: StoreUnderTest,
  make: (count: number) => Policy,
  chosen: boolean,
): Promise<void> {
  const { store, setClock } = subject
  await setClock(baseUs)
  const check = checkOf(make(60), freshKey())
  for (let i = 0; i < 5; i++) await askOne(store, check)
  const paid = { ...check, policy: chosen ? definitions.chosenFor(make(6000)) : make(6000) }
  const rows = []
  for (let i = 0; i < 7; i++) rows.push(await askOne(store, paid))
  expect(rows.map(({ allowed }) => allowed)).toEqual([true, true, true, true, true, true, false])
  // A unit each 600 ms.
  const waitUs = rows[6]?.retryAfterUs ?? 0
  expect(waitUs).toBeLessThanOrEqual(600_001)
  await setClock(baseUs + waitUs)
  expect(await askOne(store, paid)).toMatchObject({ allowed: true })
}

const countsOfTen: readonly Policy[] = [
  ...Object.values(everyStrategy(10, '10s')).filter(({ strategy }) => strategy !== 'concurrency'),
  fixedWindow({ limit: 10, window: '10s', start: 'clock' }),
  fixedWindow({ limit: 10, every: 'day', timeZone: 'Europe/Vienna' }),
]

/** Ten, counted anew, ten: what the first ten give back lets nothing more in, what the last ten give back does. */
async function countedAnew(subject: StoreUnderTest, policy: Policy, op: 'reset' | 'set'): Promise<void> {
  const { store, setClock } = subject
  for (const own of [policy, definitions.chosenFor(policy)]) {
    const check = checkOf(own, freshKey())
    let atUs = baseUs
    const tenOf = async () => {
      const receipts: (string | number)[] = []
      for (let i = 0; i < 10; i++) receipts.push((await askOne(store, check)).receipt)
      return receipts.filter((receipt) => receipt !== '')
    }
    const giveBack = (receipts: readonly (string | number)[]) =>
      change(
        store,
        receipts.map((receipt) => ({ check, receipt, byUnits: -1 })),
      )
    await setClock(atUs)
    const before = await tenOf()
    // A server's clock goes on from call to call.
    await setClock(++atUs)
    await manage(store, op, check, op === 'set' ? { units: 0 } : {})
    await setClock(++atUs)
    const after = await tenOf()
    expect(after).toHaveLength(before.length)
    await giveBack(before)
    expect(await askOne(store, check)).toMatchObject({ allowed: false })
    await giveBack(after.slice(-1))
    expect(await askOne(store, check)).toMatchObject({ allowed: true })
  }
}

/** The limiter's own log, and others that calls choose. */
const logs = {
  own: slidingWindowLog({ limit: 5, window: '4s' }),
  brief: definitions.chosenFor(slidingWindowLog({ limit: 3, window: '1s' })),
  same: definitions.chosenFor(slidingWindowLog({ limit: 5, window: '4s' })),
  long: definitions.chosenFor(slidingWindowLog({ limit: 4, window: '10s' })),
}

type LogRow = readonly [
  atMs: number,
  by: keyof typeof logs,
  cost: number,
  allowed: boolean,
  remaining: number,
  back?: 'back',
]

// biome-ignore format: a table
const logLives: readonly { readonly title: string; readonly rows: readonly LogRow[] }[] = [
  {
    title: 'a log whose life is over counts nothing, also for a call with a longer window',
    rows: [
      // at ms  by       cost  allowed  remaining
      [      0, 'own',     3,  true,    2],
      [      0, 'same',    1,  true,    1],
      [   4000, 'same',    1,  true,    4],
      [   4000, 'long',    2,  true,    1],
    ],
  },
  {
    title: 'a log of which all was given back lives no longer than what is charged next',
    rows: [
      [      0, 'own',     1,  true,    4, 'back'],
      [      0, 'brief',   2,  true,    1],
      [   1000, 'own',     2,  true,    3],
    ],
  },
  {
    title: 'a clock that steps back makes a log live no longer for those with a longer window',
    rows: [
      [      0, 'brief',   1,  true,    2],
      [   -100, 'own',     0,  true,    4],
      [   1000, 'own',     3,  true,    2],
    ],
  },
]

async function livesAsLong(subject: StoreUnderTest, rows: readonly LogRow[]): Promise<void> {
  const { store, setClock } = subject
  const key = freshKey()
  for (const [atMs, by, cost, allowed, remaining, back] of rows) {
    await setClock(baseUs + atMs * 1000)
    const check = checkOf(logs[by], key, { cost })
    const row = await askOne(store, check)
    expect({ atMs, by, allowed: row.allowed, remaining: row.remaining }).toEqual({
      atMs,
      by,
      allowed,
      remaining,
    })
    if (back !== undefined) await change(store, [{ check, receipt: row.receipt, byUnits: -cost }])
  }
}

/** A lease of ten seconds and a later one of one second each count until their own end, under the numbers of either. */
async function leasesEndEach({ store, setClock }: StoreUnderTest): Promise<void> {
  const [long, short] = [concurrency({ limit: 3, lease: '10s' }), concurrency({ limit: 3, lease: '1s' })]
  const ways = [
    [long, definitions.chosenFor(short)],
    [definitions.chosenFor(long), short],
    [definitions.chosenFor(long), definitions.chosenFor(short)],
  ] as const
  for (const policies of ways) {
    const key = freshKey()
    await setClock(baseUs)
    for (const policy of policies) await askOne(store, checkOf(policy, key))
    await setClock(baseUs + 2 * second)
    for (const policy of policies)
      expect(await askOne(store, checkOf(policy, key, { cost: 0 }))).toMatchObject({ remaining: 2 })
    await setClock(baseUs + 10 * second)
    expect(await askOne(store, checkOf(long, key, { cost: 0 }))).toMatchObject({ remaining: 3 })
  }
}

const quota = (every: 'day' | 'week') => reservable(fixedWindow({ limit: 2, every, timeZone: 'UTC' }))

/** A week that a call has opened ends with a day: it runs, and is no day that others have reserved. */
async function letsInWhileItRuns({ store, setClock }: StoreUnderTest): Promise<void> {
  for (const at of ['2024-06-12T12:00:00Z', '2024-06-15T12:00:00Z', '2024-06-16T12:00:00Z']) {
    const limiter = createLimiter({ name: freshKey(), policy: quota('day'), store })
    await setClock(Date.parse(at) * 1000)
    // A store that learns the time from a server's replies now knows which day it is.
    await limiter.peek('ada')
    await limiter.check('ada', { policy: quota('week') })
    const { allowed, remaining } = await limiter.check('ada')
    expect({ at, allowed, remaining }).toEqual({ at, allowed: true, remaining: 0 })
    await limiter.close()
  }
}

/** What policies that are chosen for calls leave of what others have charged, and what a reset leaves of it. */
export const chosenCases: readonly StoreCase[] = [
  ...pairs.flatMap((two) =>
    acts.map((act) => ({
      about: two.long.strategy,
      title: `${act.title} under a short window that was chosen for it leaves a long one as it is`,
      run: (subject: StoreUnderTest) => staysRefused(subject, two, act),
    })),
  ),
  ...[...pairs, byClock, byCalendar].map((two) => ({
    about: two.long.strategy,
    title: `a short window that calls open time after time lets no more through a long one (${Reflect.get(two.long, 'value')})`,
    run: (subject: StoreUnderTest) => countsOnInLongWindow(subject, two),
  })),
  ...Object.entries(rates).map(([about, make]) => ({
    about,
    title: 'calls at two other rates do not let what was charged drain sooner',
    run: (subject: StoreUnderTest) => drainsAtOwnRate(subject, make),
  })),
  ...[true, false].flatMap((chosen) => [
    {
      about: 'gcra',
      title: `a rate that is raised${chosen ? ' for a call' : ''} refuses nothing that the old one would let pass`,
      run: (subject: StoreUnderTest) =>
        raisedRate(subject, (count) => gcra({ count, period: '1h', burst: 10 }), chosen),
    },
    {
      about: 'tokenBucket',
      title: `a rate that is raised${chosen ? ' for a call' : ''} refuses nothing that the old one would let pass`,
      run: (subject: StoreUnderTest) =>
        raisedRate(subject, (count) => tokenBucket({ capacity: 11, count, period: '1h' }), chosen),
    },
  ]),
  ...logLives.map(({ title, rows }) => ({
    about: 'slidingWindowLog',
    title,
    run: (subject: StoreUnderTest) => livesAsLong(subject, rows),
  })),
  {
    about: 'concurrency',
    title: 'leases of two lengths on one key each count until their own end',
    run: leasesEndEach,
  },
  {
    about: 'reservable fixedWindow',
    title: 'a window of other numbers that ends with one of the calendar lets callers in while it runs',
    run: letsInWhileItRuns,
  },
  ...countsOfTen.flatMap((policy) =>
    (['reset', 'set'] as const).map((op) => ({
      about: policy.strategy,
      title: `gives nothing of the old count back after a ${op} (${Reflect.get(policy, 'value')})`,
      run: (subject: StoreUnderTest) => countedAnew(subject, policy, op),
    })),
  ),
]
