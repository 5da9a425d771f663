import { answering } from '@sluice/conformance/internal'
import {
  fixedWindow,
  gcra,
  guardedStore,
  memoryStore,
  multiWindow,
  type Policy,
  type Store,
  type StoreRow,
  tokenBucket,
  uniform,
} from '@sluice/core'
import { manualClock } from '@sluice/testing'
import fc from 'fast-check'
import type { AnyOptions } from '../src/options.ts'
import type { RequestFacts } from '../src/request-view.ts'

/** Stands in all that a client sends. */
export const marker: string = 'zq7Wk3Jx'
const quiet = { warn: () => {}, error: () => {} }

const names = fc.oneof(
  // biome-ignore format: a list of names
  fc.constantFrom('tickets', 'a\r\nX-Evil: 1', '"', '\\', '%', '"a";q=1, b', '\ud83d', '\u0000', '\u{1f405}'.repeat(50)),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }).filter((name) => name !== '__proto__'),
)

const limits = fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constant(Number.MAX_SAFE_INTEGER))
const windows = fc.oneof(
  fc.constantFrom(1, 1.001, 999.999, 1000, 86_400_000 * 366),
  fc.integer({ min: 1, max: 100_000 }),
)
const few = fc.integer({ min: 1, max: 9 })
const policies: fc.Arbitrary<Policy> = fc.oneof(
  fc.record({ limit: limits, window: windows }).map(fixedWindow),
  few.map((count) => gcra({ count, period: '1m' })),
  fc.record({ capacity: few, count: few, period: windows }).map(tokenBucket),
  windows.map((interval) => uniform({ interval })),
  limits.map((limit) => multiWindow({ limits: [{ limit, window: 200 }] })),
)

const numbers = fc.oneof(
  fc.integer({ min: -2, max: 5 }),
  fc.maxSafeNat(),
  fc.double(),
  fc.constantFrom(0, 0.5, -1, 1e21, Number.NaN, Number.POSITIVE_INFINITY),
)
const rows: fc.Arbitrary<StoreRow> = fc
  .record({
    allowed: fc.boolean(),
    reason: fc.constantFrom('limited', 'blocked', 'too-costly', 'store-unavailable'),
    limit: numbers,
    remaining: numbers,
    retryAfterUs: numbers,
    resetAfterUs: numbers,
    waitUs: fc.constant(0),
    receipt: fc.constant(''),
  })
  .map((row) => ({ ...row, reason: row.allowed ? null : row.reason }) as StoreRow)

/** A store that is away. */
const away: Store = {
  ...answering([]),
  answer() {
    throw new Error('away')
  },
}

/** Where the numbers come from: a count, a store that answers anything, none at all. */
const stores: fc.Arbitrary<() => Store> = fc.oneof(
  fc.constant(() => memoryStore({ clock: manualClock() })),
  fc.array(rows, { minLength: 3, maxLength: 3 }).map((answer) => () => answering(answer)),
  fc.constant(() => guardedStore(away)),
)

const xFields = fc.constantFrom<'seconds' | 'epoch-seconds' | false>('seconds', 'epoch-seconds', false)

/** Options of a limiter that is called anything at all, and whose key is what a client sends. */
export const limiters: fc.Arbitrary<AnyOptions<object>> = fc
  .record({
    name: names,
    policies: fc.dictionary(names, policies, { minKeys: 1, maxKeys: 3 }),
    store: stores.map((make) => make()),
    onStoreFailure: fc.constantFrom('local', 'allow', 'deny'),
    charge: fc.constantFrom('all-or-nothing', 'every-level'),
    shadow: fc.boolean(),
    cost: fc.nat(5),
    denyList: fc.constantFrom([], [], [], [], ['192.0.2.0/24']),
    headers: fc.record({ x: xFields, draft: fc.constantFrom(...([false, true, 6, 7, 8] as const)) }),
    key: fc.constantFrom(
      () => `${marker}\r\n`,
      () => [marker, marker],
      () => undefined,
    ),
  } as const)
  .map((all) => ({ ...all, logger: quiet }))

/** A request of which the client has chosen all but its address. */
export const facts: RequestFacts = {
  method: marker,
  route: `/${marker}\r\n`,
  ip: marker,
  peer: '192.0.2.1',
  trustsAll: false,
  headers: { accept: `${marker}/html`, 'x-forwarded-for': marker, [marker]: marker },
}
