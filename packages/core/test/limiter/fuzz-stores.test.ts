import { expect, it } from '@jest/globals'
import { aFunction, count, describeOptions, never, nonsense } from '@sluice/conformance/options'
import { manualClock } from '@sluice/testing'
import fc from 'fast-check'
import { Redis } from 'ioredis'
import {
  createLimiter,
  fixedWindow,
  type GuardOptions,
  guardedStore,
  type MemoryStoreOptions,
  memoryStore,
  type RedisStoreOptions,
  redisStore,
  type Store,
} from '../../src/index.ts'

const limit = 3
const quiet = { warn: () => {}, error: () => {} }

/** A store of somebody's own that is away, and for which nobody waits. */
const away: Store = {
  name: 'away',
  answer() {
    throw new Error('away')
  },
  adjust() {},
  manage() {},
  close: async () => {},
}

async function expectLimits(store: Store): Promise<void> {
  const limiter = createLimiter({ policy: fixedWindow({ limit, window: '10s' }), store, logger: quiet })
  for (let i = 0; i < limit; i++) await limiter.check('bob')
  expect(await limiter.check('bob')).toMatchObject({ allowed: false, reason: 'limited' })
  await limiter.close()
  await store.close()
}

const guarding = {
  right: { deadline: '1s', processes: 1, maxKeys: 5 },
  places: {
    deadline: (value: unknown) => typeof value === 'number' && value > 0 && value < 366 * 86_400_000,
    processes: (value: unknown) => count(value) || aFunction(value),
    maxKeys: count,
  },
}

describeOptions({
  name: 'memoryStore',
  right: { maxKeys: 5, clock: manualClock() },
  places: { maxKeys: count, clock: never },
  make: (options) => memoryStore(options as MemoryStoreOptions),
  judge: expectLimits,
})

it('a clock without a time is reported as wrong: nothing is past a limit at no time', () => {
  const property = fc.property(nonsense, (value) => {
    const make = () => memoryStore({ clock: { nowUs: () => value as number } })
    if (typeof value === 'number' && Number.isFinite(value)) make()
    else expect(make).toThrow('clock.nowUs: expected a function that returns microseconds, got ')
  })
  fc.assert(property)
})

it('a store on nonsense in place of Redis is reported as wrong', () => {
  const property = fc.property(
    fc.oneof(nonsense, fc.record({ url: nonsense }), fc.record({ cluster: nonsense })),
    (redis) => {
      const path = expect.stringMatching(/^redis\b/)
      expect(() => redisStore(redis as string)).toThrow(
        expect.objectContaining({ code: 'SLUICE_OPTION', path }),
      )
    },
  )
  fc.assert(property, { numRuns: 400 })
})

describeOptions({
  name: 'redisStore',
  right: { ...guarding.right, prefix: 'zoo:' },
  places: { ...guarding.places, prefix: (value) => typeof value === 'string' && !/[{}]/.test(value) },
  // Of its own each time, as a client has one store; it connects when it is asked.
  make: (options) => redisStore(new Redis({ lazyConnect: true }), options as RedisStoreOptions),
  judge: (store) => store.close(),
})

describeOptions({
  name: 'guardedStore',
  ...guarding,
  make: (options) => guardedStore(away, options as GuardOptions),
  judge: expectLimits,
})
