import { describe, expect, it } from '@jest/globals'
import { manualClock } from '@sluice/testing'
import { createLimiter, type Duration, fixedWindow, memoryStore, type Store } from '../../src/index.ts'
import { guard } from '../../src/resilience/guard.ts'
import { readGuardOptions } from '../../src/resilience/guard-options.ts'

const maxKeys = 100
const two = fixedWindow({ limit: 2, window: '1h' })

/** A store that has everything done and knows nothing, so that what its guard holds is the fallback's. */
function forgetful(): Store {
  const refuse = () => Promise.reject(new Error('away'))
  return { name: 'forgetful', answer: refuse, adjust: refuse, manage: () => undefined, close: async () => {} }
}

const stores: readonly (readonly [string, (clock: ReturnType<typeof manualClock>) => Store])[] = [
  ['memory', (clock) => memoryStore({ maxKeys, clock })],
  ['the fallback', (clock) => guard(forgetful(), readGuardOptions({ maxKeys }), clock)],
]

describe.each(stores)('blocks in %s', (_name, make) => {
  function world() {
    const clock = manualClock()
    const store = make(clock)
    const warnings: string[] = []
    const logger = { warn: (text: string) => warnings.push(text), error: () => {} }
    const limiter = createLimiter({ policy: two, store, logger })
    const reasonOf = async (key: string) => (await limiter.check(key)).reason
    // Of the fallback it rejects once the store is known to be away; the fallback has heard of it then.
    const byHand = (work: Promise<void>) => work.catch(() => {})
    const block = (key: string, time: Duration) => byHand(limiter.block(key, time))
    const unblock = (key: string) => byHand(limiter.unblock(key))
    const reset = (key: string) => byHand(limiter.reset(key))
    const keys = () => store.health?.().keys
    return { clock, limiter, warnings, reasonOf, keys, block, unblock, reset }
  }

  it('count as keys, once with what is counted of the same key', async () => {
    const { limiter, clock, keys, block, unblock, reset } = world()
    await block('mallory', '1h')
    expect(keys()).toBe(1)
    await limiter.check('bob')
    await block('bob', '1h')
    await block('bob', '2h')
    expect(keys()).toBe(2)
    await unblock('mallory')
    expect(keys()).toBe(1)
    await reset('bob')
    expect(keys()).toBe(0)
    await block('mallory', '1h')
    await clock.advance('2h')
    // What is over goes when others come.
    for (const key of ['a', 'b', 'c', 'd']) await limiter.check(key)
    expect(keys()).toBe(4)
  })

  it('keep within maxKeys, and the one that ends first goes', async () => {
    const { clock, warnings, reasonOf, keys, block } = world()
    await block('for a day', '1d')
    for (let i = 0; i < 10 * maxKeys; i++) {
      await block(`key ${i}`, '1h')
      await clock.advance(1)
      expect(keys()).toBeLessThanOrEqual(maxKeys)
    }
    expect(keys()).toBe(maxKeys)
    for (const key of ['for a day', `key ${9 * maxKeys + 1}`, `key ${10 * maxKeys - 1}`])
      expect([key, await reasonOf(key)]).toEqual([key, 'blocked'])
    expect(await reasonOf(`key ${9 * maxKeys}`)).not.toBe('blocked')
    expect(warnings).toEqual(expect.arrayContaining([expect.stringContaining('SLUICE_MEMORY_FULL')]))
  })

  it('are displaced by nothing that a client can cause', async () => {
    const { limiter, reasonOf, keys, block } = world()
    await block('mallory', '10m')
    for (let i = 0; i < 5 * maxKeys; i++) {
      await limiter.check(`spray ${i}`)
      await limiter.check(`spray ${i}`)
      await limiter.penalize(`spray ${i}`, { wait: '12h' })
    }
    expect(keys()).toBe(maxKeys)
    expect(await reasonOf('mallory')).toBe('blocked')
  })

  it('by hand find room where every key is exhausted or blocked by a penalty: the first to recover goes', async () => {
    const { clock, limiter, reasonOf, keys, block } = world()
    for (let i = 0; i < maxKeys; i++) {
      await limiter.check(`key ${i}`, { cost: 2 })
      if (i >= 50) await limiter.penalize(`key ${i}`, { wait: '2h' })
      await clock.advance(1)
    }
    await block('mallory', '1m')
    await block('eve', '1m')
    for (const key of ['mallory', 'eve']) expect([key, await reasonOf(key)]).toEqual([key, 'blocked'])
    expect(keys()).toBe(maxKeys)
    expect((await limiter.peek('key 2')).allowed).toBe(false)
    expect((await limiter.peek('key 99')).reason).toBe('blocked')
  })

  it('by a penalty take no room from what is exhausted, and hold where their key has its place', async () => {
    const { limiter, reasonOf } = world()
    for (let i = 0; i < maxKeys; i++) await limiter.check(`key ${i}`, { cost: 2 })
    await limiter.penalize('unknown', { wait: '2h' })
    await limiter.penalize('key 7', { wait: '2h' })
    expect(await reasonOf('key 7')).toBe('blocked')
    expect(await reasonOf('unknown')).not.toBe('blocked')
    for (let i = 0; i < maxKeys; i++) expect((await limiter.peek(`key ${i}`)).allowed).toBe(false)
  })

  it('keep the count behind them, which goes on where it was', async () => {
    const { limiter, clock, block } = world()
    await limiter.check('bob')
    await block('bob', '10m')
    for (let i = 0; i < 5 * maxKeys; i++) await limiter.check(`spray ${i}`)
    await clock.advance('10m')
    expect(await limiter.check('bob')).toMatchObject({ allowed: true, remaining: 0 })
  })

  it('leave no room taken behind for a key that is counted after its block', async () => {
    const { clock, limiter, keys, block } = world()
    for (let i = 0; i < 20; i++) await limiter.check(`key ${i}`)
    for (let i = 0; i < 10; i++) await block(`blocked ${i}`, '1m')
    await clock.advance('1m')
    for (let i = 0; i < 10; i++) await limiter.check(`blocked ${i}`)
    expect(keys()).toBe(30)
  })
})

const [brief, long] = ['1m', '1h'] as const

it.each([
  [brief, long],
  [long, brief],
])(
  'a block by hand takes the room of what recovers first, of whichever policy: %s, %s',
  async (...windows) => {
    const store = memoryStore({ clock: manualClock(), maxKeys: 2 })
    const limiters = windows.map((window) =>
      createLimiter({ name: window, policy: fixedWindow({ limit: 1, window }), store }),
    )
    for (const limiter of limiters) await limiter.check('bob')
    await limiters[0]?.block('mallory', '1m')
    const later = limiters[windows.indexOf(long)]
    expect(await later?.peek('bob')).toMatchObject({ allowed: false, reason: 'limited' })
  },
)
