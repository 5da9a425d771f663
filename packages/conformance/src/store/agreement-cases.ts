import {
  type Check,
  concurrency,
  fixedWindow,
  gcra,
  multiWindow,
  type Policy,
  slidingWindowLog,
  tokenBucket,
  uniform,
} from '@sluice/core'
import { everyStrategy } from '../every-strategy.ts'
import { expect } from '../runner.ts'
import { ask, askOne, change, checkOf, freshKey, inspect, manage } from './asking.ts'
import type { StoreCase } from './case.ts'
import { baseUs, type StoreUnderTest } from './under-test.ts'

const second = 1_000_000

const policies: readonly Policy[] = [
  ...Object.values(everyStrategy(3, '10s')),
  tokenBucket({ capacity: 3, count: 3, period: '10s', start: 'empty' }),
]

async function remaining({ store }: StoreUnderTest, check: Check): Promise<number> {
  return (await inspect(store, check)).row.remaining
}

/** One of several refunds finds its charge gone: the others are made all the same. */
async function refundsOfOneCall(subject: StoreUnderTest, policy: Policy): Promise<void> {
  const { store, setClock } = subject
  await setClock(baseUs)
  const [emptied, other] = [checkOf(policy, freshKey()), checkOf(policy, freshKey())]
  await askOne(store, emptied)
  await askOne(store, other)
  // Full by now, where it started empty.
  await setClock(baseUs + 10 * second)
  const full = await remaining(subject, other)
  const first = await askOne(store, emptied)
  await manage(store, 'reset', emptied)
  const again = await askOne(store, emptied)
  const { receipt } = await askOne(store, other)
  const refund = (check: Check, of: string | number) => ({ check, receipt: of, byUnits: -1 })
  await change(store, [
    refund(emptied, again.receipt),
    refund(emptied, first.receipt),
    refund(other, receipt),
  ])
  expect(await remaining(subject, other)).toBe(full)
}

/** Whoever would accept the wait of a bucket has asked for it, whatever another policy says. */
async function beginsBesideARefusal({ store, setClock }: StoreUnderTest): Promise<void> {
  await setClock(baseUs)
  const key = freshKey()
  const bucket = checkOf(tokenBucket({ capacity: 4, count: 1, period: '1s', start: 'empty' }), key)
  const gate = checkOf(uniform({ interval: '1m' }), key)
  await askOne(store, gate)
  const rows = await ask(store, [bucket, gate], { maxWaitUs: 10 * second })
  expect(rows.map(({ allowed, receipt }) => ({ allowed, receipt }))).toEqual([
    { allowed: true, receipt: '' },
    { allowed: false, receipt: '' },
  ])
  await setClock(baseUs + 3 * second)
  expect(await askOne(store, { ...bucket, cost: 3 })).toMatchObject({ allowed: true, remaining: 0 })
}

/** Other numbers, which would move what is stored, find a block in front of it. */
async function leavesWhatIsBehindABlock({ store, setClock }: StoreUnderTest): Promise<void> {
  await setClock(baseUs)
  const key = freshKey()
  const hourly = checkOf(fixedWindow({ limit: 5, window: '1h' }), key)
  const other = checkOf(gcra({ count: 9, period: '1h' }), key)
  await askOne(store, { ...hourly, cost: 5 })
  await manage(store, 'block', hourly, { us: 2 * second })
  await setClock(baseUs + second)
  const brief = { ...hourly, policy: fixedWindow({ limit: 5, window: '1s' }) }
  const [blocked] = await ask(store, [brief, other])
  expect(blocked).toMatchObject({ reason: 'blocked' })
  await setClock(baseUs + 3 * second)
  expect(await askOne(store, hourly)).toMatchObject({ reason: 'limited', retryAfterUs: 3597 * second })
}

/** What is left of a log lives as long as it would with what was given back. */
async function keepsTheLogOfARefund({ store, setClock }: StoreUnderTest): Promise<void> {
  await setClock(baseUs)
  const minute = checkOf(slidingWindowLog({ limit: 5, window: '1m' }), freshKey())
  await askOne(store, minute)
  await setClock(baseUs + 59 * second)
  const { receipt } = await askOne(store, minute)
  await change(store, [{ check: minute, receipt, byUnits: -1 }])
  await setClock(baseUs + 65 * second)
  const hour = { ...minute, policy: slidingWindowLog({ limit: 5, window: '1h' }), cost: 4 }
  expect(await askOne(store, hour)).toMatchObject({ allowed: true, remaining: 0 })
}

/** Numbers under which nothing counts any more forget the key at once, although an emptied slot lies ahead of them. */
async function forgetsBehindAnEmptySlot({ store, setClock }: StoreUnderTest): Promise<void> {
  await setClock(baseUs)
  const long = checkOf(multiWindow({ limits: [{ limit: 4, window: '10s' }], slot: '5s' }), freshKey())
  const brief = { ...long, policy: multiWindow({ limits: [{ limit: 4, window: '1s' }], slot: '100ms' }) }
  await askOne(store, brief)
  const { receipt } = await askOne(store, long)
  await change(store, [{ check: long, receipt, byUnits: -1 }])
  await setClock(baseUs + 2 * second)
  const looks = [brief, long].map((check) => askOne(store, { ...check, cost: 0 }))
  expect((await Promise.all(looks)).map((row) => [row.remaining, row.resetAfterUs])).toEqual([
    [4, 0],
    [4, 0],
  ])
}

/** In a limiter of its own, of which a store has read nothing that late. */
async function putsRightWhatWasSet({ store, setClock }: StoreUnderTest): Promise<void> {
  const id = `suite:${freshKey()}:fixedWindow`
  const check = checkOf(fixedWindow({ limit: 1, window: '10s' }), freshKey(), { id })
  await setClock(baseUs + 3600 * second)
  await manage(store, 'set', check, { units: 1 })
  await setClock(baseUs)
  expect(await askOne(store, check)).toMatchObject({ reason: 'limited', retryAfterUs: 10 * second })
}

/** State of any size comes back as it was, also from behind a second block and a look. */
async function keepsLargeState(subject: StoreUnderTest, policy: Policy): Promise<void> {
  const { store, setClock } = subject
  await setClock(baseUs)
  const check = checkOf(policy, freshKey(), { cost: 1000, note: 'who' })
  const { receipt } = await askOne(store, check)
  await manage(store, 'block', check, { us: 4 * second })
  await setClock(baseUs + second)
  expect(await askOne(store, check)).toMatchObject({ reason: 'blocked', retryAfterUs: 3 * second })
  // Nothing is given back behind a block.
  await change(store, [{ check, receipt, byUnits: -1000 }])
  await manage(store, 'block', check, { us: 2 * second })
  expect(await inspect(store, check)).toMatchObject({ blockedUs: 2 * second, row: { remaining: 500 } })
  await setClock(baseUs + 3 * second)
  expect(await askOne(store, check)).toMatchObject({ reason: 'limited', remaining: 500 })
  await manage(store, 'block', check, { us: 60 * second })
  await manage(store, 'unblock', check)
  expect(await remaining(subject, check)).toBe(500)
  await manage(store, 'block', check, { us: 60 * second })
  await manage(store, 'reset', check)
  expect(await remaining(subject, check)).toBe(1500)
}

/** Histories in which stores have once differed. */
export const agreementCases: readonly StoreCase[] = [
  ...policies.map((policy) => ({
    about: policy.strategy,
    title: `refunds of one call are all made, also where one has nothing left (${Reflect.get(policy, 'value')})`,
    run: (subject: StoreUnderTest) => refundsOfOneCall(subject, policy),
  })),
  ...everyEntry(),
  { about: 'tokenBucket', title: 'begins to fill, though another policy refuses', run: beginsBesideARefusal },
  {
    about: 'several policies',
    title: 'leave what is behind a block as it is, under other numbers too',
    run: leavesWhatIsBehindABlock,
  },
  {
    about: 'slidingWindowLog',
    title: 'counts what is left after a refund for as long as before, under other numbers too',
    run: keepsTheLogOfARefund,
  },
  {
    about: 'multiWindow',
    title: 'forgets what no window counts in the very call, though an emptied slot lies ahead',
    run: forgetsBehindAnEmptySlot,
  },
  {
    about: 'fixedWindow',
    title: 'a count that was set before the clock stepped back refuses for a window, no longer',
    run: putsRightWhatWasSet,
  },
]

function everyEntry(): StoreCase[] {
  const limit = 1500
  const { slidingWindowLog: log, attributedWindow: attributed } = everyStrategy(limit, '10s')
  return [log, attributed, concurrency({ limit, lease: '10s' })].map((policy) => ({
    about: policy.strategy,
    title: 'a thousand entries come back from behind a block',
    run: (subject) => keepsLargeState(subject, policy),
  }))
}
