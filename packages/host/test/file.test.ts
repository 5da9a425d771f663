import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  type Limiter,
  multiWindow,
  type Policy,
  slidingWindowLog,
  type Warning,
} from '@sluice/core'
import type { HostStore } from '../src/store.ts'
import { Here } from './here.ts'

let here: Here
let file: string
let warnings: Warning[]
let nowUs: number
const silent = { warn() {}, error() {} }
const clock = { nowUs: () => nowUs }

beforeEach(() => {
  here = new Here()
  file = path.join(path.dirname(here.folder), 'counts')
  warnings = []
  nowUs = 1_700_000_000_000_000
})
afterEach(() => here.close())

function storeHere(): HostStore {
  const store = here.store(clock, { file })
  store.watch({ event: () => {}, warned: (warning) => warnings.push(warning) })
  return store
}

const policies: { readonly [name: string]: Policy } = {
  fixedWindow: fixedWindow({ limit: 5, window: '1h' }),
  'fixedWindow of a calendar': fixedWindow({ limit: 5, every: 'day', timeZone: 'Europe/Vienna' }),
  gcra: gcra({ count: 5, period: '1h' }),
  slidingWindowLog: slidingWindowLog({ limit: 5, window: '1h' }),
  multiWindow: multiWindow({ limits: [{ limit: 5, window: '1h' }] }),
  'fixedWindow that blocks': fixedWindow({ limit: 5, window: '1h', blockFor: { first: '1m', factor: 2 } }),
}

/** The same process again: all that it has in memory is new. */
async function again(store: HostStore): Promise<HostStore> {
  await store.close()
  return storeHere()
}

function limiterAt(store: HostStore, policy: Policy): Limiter<{ default: Policy }> {
  return createLimiter({ policy, store, logger: silent })
}

it.each(Object.entries(policies))('%s goes on after a restart', async (_, policy) => {
  let store = storeHere()
  for (let i = 0; i < 3; i++) await limiterAt(store, policy).check('k')
  store = await again(store)
  const limiter = limiterAt(store, policy)
  const decisions = [await limiter.check('k'), await limiter.check('k'), await limiter.check('k')]
  expect(decisions.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
    [true, 1],
    [true, 0],
    [false, 0],
  ])
  expect(warnings).toEqual([])
})

it('blocks, and how often a key was blocked, go on after a restart', async () => {
  const policy = fixedWindow({ limit: 1, window: '1s', blockFor: { first: '1m', factor: 2 } })
  let store = storeHere()
  await limiterAt(store, policy).check('k')
  await limiterAt(store, policy).check('k')
  await limiterAt(store, policy).block('other', '1h')
  store = await again(store)
  expect(await limiterAt(store, policy).check('k')).toMatchObject({ reason: 'blocked', retryAfterMs: 60_000 })
  expect(await limiterAt(store, policy).check('other')).toMatchObject({
    reason: 'blocked',
    retryAfterMs: 3_600_000,
  })
  nowUs += 61_000_000
  store = await again(store)
  await limiterAt(store, policy).check('k')
  expect(await limiterAt(store, policy).check('k')).toMatchObject({
    reason: 'blocked',
    retryAfterMs: 120_000,
  })
})

// Each new key moves the sweep of memory on, and the table of the last one is empty when it comes there.
it('how often keys of several limiters were blocked goes on after a restart', async () => {
  const policy = fixedWindow({ limit: 1, window: '1s', blockFor: { first: '1m', factor: 2 } })
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  const blockAll = async (store: HostStore) => {
    const waits: unknown[] = []
    for (const name of names) {
      const limiter = createLimiter({ name, policy, store, logger: silent })
      await limiter.check('k')
      waits.push((await limiter.check('k')).retryAfterMs)
    }
    return waits
  }
  let store = storeHere()
  expect(await blockAll(store)).toEqual(names.map(() => 60_000))
  nowUs += 61_000_000
  store = await again(store)
  expect(await blockAll(store)).toEqual(names.map(() => 120_000))
})

it('places in flight are held after a restart for as long as their leases run', async () => {
  const policy = concurrency({ limit: 1, lease: '10s' })
  let store = storeHere()
  await limiterAt(store, policy).check('k')
  store = await again(store)
  expect(await limiterAt(store, policy).check('k')).toMatchObject({ allowed: false })
  nowUs += 11_000_000
  expect(await limiterAt(store, policy).check('k')).toMatchObject({ allowed: true })
})

it('what no longer matters is not written', async () => {
  const store = storeHere()
  await limiterAt(store, fixedWindow({ limit: 5, window: '1h' })).check('gone')
  nowUs += 2 * 3_600_000_000
  await store.close()
  expect(readFileSync(file, 'utf8')).not.toContain('gone')
})

it.each([
  ['that was cut', (text: string) => text.slice(0, -40)],
  ['of which nothing is left', () => ''],
  ['in which a digit is another', (text: string) => text.replace('"k"', '"l"')],
  ['of something else', () => '{ "counts": [] }\n'],
])('a file %s is begun anew, with a warning', async (_, damage) => {
  const policy = fixedWindow({ limit: 5, window: '1h' })
  let store = storeHere()
  await limiterAt(store, policy).check('k')
  await store.close()
  writeFileSync(file, damage(readFileSync(file, 'utf8')))
  store = storeHere()
  expect(await limiterAt(store, policy).check('k')).toMatchObject({ remaining: 4 })
  expect(warnings.map(({ code }) => code)).toEqual(['SLUICE_HOST_FILE'])
  store = await again(store)
  expect(await limiterAt(store, policy).check('k')).toMatchObject({ remaining: 3 })
})

it('a file that cannot be written is a warning, and nothing else', async () => {
  file = path.join(path.dirname(here.folder), 'missing', 'counts')
  const store = storeHere()
  expect(await limiterAt(store, fixedWindow({ limit: 5, window: '1h' })).check('k')).toMatchObject({
    remaining: 4,
  })
  await store.close()
  expect(warnings.map(({ code }) => code)).toEqual(['SLUICE_HOST_FILE'])
})

it('nobody but who holds the counts writes the file', async () => {
  const holder = here.store(clock)
  await holder.begin()
  const guest = storeHere()
  await limiterAt(guest, fixedWindow({ limit: 5, window: '1h' })).check('k')
  await guest.close()
  expect(existsSync(file)).toBe(false)
  expect(readdirSync(path.dirname(file))).toEqual(['place'])
})
