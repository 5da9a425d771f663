import { afterEach, expect, it } from '@jest/globals'
import { createLimiter, fixedWindow, type Observer } from '@sluice/core'
import { memorySink, type RecorderOptions, readTraffic, recorder, type Sink } from '../src/index.ts'
import { memorySinkAt } from '../src/memory-sink.ts'
import { KeySample } from '../src/traffic/key-sample.ts'
import { textOf } from '../src/traffic/traffic-text.ts'
import { type Moved, movedRecorder, silent } from './moved-recorder.ts'

const policy = fixedWindow({ limit: 1000, window: '1h' })
const ends: (() => Promise<void>)[] = []
afterEach(() => Promise.all(ends.splice(0).map((end) => end())))

function limiterOf(seen: Observer) {
  const limiter = createLimiter({ name: 'login', policy, observers: [seen], logger: silent })
  ends.push(() => limiter.close())
  return limiter
}

interface Scene extends Omit<Moved, 'sink'> {
  readonly limiter: ReturnType<typeof limiterOf>
  readonly sink: Sink
  /** All pieces that were written. */
  pieces(): Promise<readonly string[]>
}

/** A recorder of traffic on a clock that is moved by hand, and a limiter that it observes. */
function scene(options: RecorderOptions = { traffic: true }): Scene {
  const moved = movedRecorder(options)
  const kept = memorySinkAt(moved.localMs, { retention: '1d' })
  Object.assign(moved.sink, {
    addTraffic: kept.addTraffic?.bind(kept),
    traffic: kept.traffic?.bind(kept),
  })
  const limiter = limiterOf(moved.seen)
  const pieces = async () => ((await kept.traffic?.(0)) ?? []).map(({ text }) => text)
  return { ...moved, limiter, pieces }
}

async function recorded({ seen, sink }: Scene) {
  await seen.flush()
  const [traffic, ...others] = await readTraffic(sink, 0)
  expect(others).toEqual([])
  if (traffic === undefined) throw new Error('nothing was recorded')
  return traffic
}

/** How many requests each key has, the most first. */
function countsOf(requests: readonly { readonly key: string; readonly requests: number }[]) {
  const counts = new Map<string, number>()
  for (const each of requests) counts.set(each.key, (counts.get(each.key) ?? 0) + each.requests)
  return [...counts.values()].sort((a, b) => b - a)
}

it('every request of every key is kept with its time and its units while there is room', async () => {
  const all = scene()
  const startMs = all.localMs()
  await all.limiter.check('ann')
  await all.limiter.check('bob', { cost: 5 })
  await all.advance('250ms')
  await all.limiter.check('ann', { cost: 2 })
  await all.limiter.check('ann', { cost: 3 })
  const { limiter, policy: name, share, requests } = await recorded(all)
  expect({ limiter, name, share }).toEqual({ limiter: 'login', name: 'default', share: 1 })
  const [ann, bob] = [requests[0]?.key, requests[1]?.key]
  expect(requests).toEqual([
    { atMs: startMs, key: ann, requests: 1, units: 1 },
    { atMs: startMs, key: bob, requests: 1, units: 5 },
    { atMs: startMs + 200, key: ann, requests: 2, units: 5 },
  ])
  expect(ann).not.toBe(bob)
})

it('no key is stored, only what stands for it', async () => {
  const all = scene()
  for (const key of ['203.0.113.66', 'ann@zoo.example', ['tenant', 'ann']]) await all.limiter.check(key)
  await recorded(all)
  const text = (await all.pieces()).join()
  expect(text).toContain('login')
  for (const part of ['203', 'ann', 'tenant']) expect(text).not.toContain(part)
})

it('looks, and limiters that are not named, are left out', async () => {
  const named = scene({ traffic: ['search'] })
  await named.limiter.check('ann')
  await named.seen.flush()
  expect(await named.pieces()).toEqual([])
  const off = scene({})
  await off.limiter.check('ann')
  await off.seen.flush()
  expect(await off.pieces()).toEqual([])
  const looks = scene()
  await looks.limiter.peek('ann')
  await looks.seen.flush()
  expect(await looks.pieces()).toEqual([])
})

it('with many keys it keeps some, and all requests of those', async () => {
  const all = scene()
  for (let second = 0; second < 5; second++) {
    for (let key = 0; key < 4000; key++) await all.limiter.check(`key-${key}`)
    await all.advance('1s')
  }
  const { share, requests } = await recorded(all)
  expect(share).toBeLessThanOrEqual(1 / 16)
  const counts = countsOf(requests)
  // A share of 4,000, and not of others.
  expect(counts.length).toBeGreaterThan((4000 * share) / 2)
  expect(counts.length).toBeLessThan(4000 * share * 2)
  expect(new Set(counts)).toEqual(new Set([5]))
  const pieces = await all.pieces()
  expect(pieces.length).toBeLessThanOrEqual(6)
  for (const piece of pieces) expect(piece.length).toBeLessThan(4000)
})

it('no request is lost where units of many digits make a piece too long', async () => {
  const all = scene()
  for (let key = 0; key < 150; key++)
    for (const cost of [1_999_999_999, 8_000_000_001]) await all.limiter.check(`key-${key}`, { cost })
  const { share, requests } = await recorded(all)
  expect(share).toBe(1)
  expect(countsOf(requests)).toEqual(Array.from({ length: 150 }, () => 2))
  for (const piece of await all.pieces()) expect(piece.length).toBeLessThanOrEqual(4000)
})

it('processes keep the same keys, so that each key has its requests of all', async () => {
  const [one, two] = [scene(), scene()]
  Object.assign(two.sink, { addTraffic: one.sink.addTraffic, traffic: one.sink.traffic })
  for (let second = 0; second < 5; second++) {
    for (let key = 0; key < 1000; key++)
      for (const { limiter } of key % 2 === 0 ? [one, two] : [one]) await limiter.check(`key-${key}`)
    for (const { advance } of [one, two]) await advance('1s')
  }
  await two.seen.flush()
  const { share, requests } = await recorded(one)
  expect(share).toBeLessThan(1)
  expect(new Set(countsOf(requests))).toEqual(new Set([10, 5]))
})

it('a flood of keys for some seconds does not take the others away', async () => {
  const all = scene()
  for (let second = 0; second < 300; second++) {
    for (let key = 0; key < 5; key++) await all.limiter.check(`key-${key}`)
    if (second === 150) for (let key = 0; key < 50_000; key++) await all.limiter.check(`flood-${key}`)
    await all.advance('1s')
  }
  const { share, requests } = await recorded(all)
  expect(share).toBe(1)
  const [most = 0, , , , fifth = 0] = countsOf(requests)
  expect(most).toBe(fifth)
  expect(fifth).toBeGreaterThan(280)
})

it('a key that comes all the time takes ten places a second, and none of its requests is lost', async () => {
  const all = scene()
  for (let slot = 0; slot < 50; slot++) {
    for (let i = 0; i < 500; i++) await all.limiter.check('flood')
    await all.limiter.check('ann')
    await all.advance('100ms')
  }
  const { share, requests } = await recorded(all)
  expect(share).toBe(1)
  expect(countsOf(requests)).toEqual([25_000, 50])
  expect(requests).toHaveLength(100)
})

it('what somebody else has written is skipped', async () => {
  const all = scene()
  await all.limiter.check('ann')
  const odd = [
    '',
    'null',
    '[]',
    '{}',
    '{"limiter":1}',
    '{"limiter":"login","policy":"default","fromSlot":-1}',
  ]
  const wrong = '{"limiter":"login","policy":"default","fromSlot":1,"halvings":0,"items":["a"]}'
  await all.sink.addTraffic?.([...odd, wrong].map((text) => ({ atMs: all.localMs(), text })))
  expect((await recorded(all)).requests).toHaveLength(1)
})

it('what is no choice of limiters is refused', () => {
  for (const traffic of ['login', 1, [1], {}])
    expect(() => recorder(memorySink(), { traffic: traffic as never })).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path: 'traffic' }),
    )
})

it('a sample keeps the keys below its bound, and none at it', () => {
  const sample = new KeySample()
  // One more than there is room for, half of them in the upper half of all hashes.
  for (let i = 0; i <= 150; i++) sample.add(i * 28_000_000, 1, 0)
  sample.add(2 ** 31, 1, 0)
  sample.add(2 ** 31 - 1, 1, 0)
  const entry = sample.takeOut()
  expect(entry?.halvings).toBe(1)
  const hashes = (entry?.items ?? []).map(({ hash }) => hash)
  expect(Math.max(...hashes)).toBe(2 ** 31 - 1)
})

it('keys that were kept for a part of the time only are left out', async () => {
  const about = { limiter: 'login', policy: 'default', fromSlot: 7 }
  const item = (hash: number) => ({ hash, slot: 7, requests: 1, units: 1 })
  const texts = [
    textOf({ ...about, halvings: 0, items: [item(1), item(2 ** 31)] }, 'a'),
    textOf({ ...about, halvings: 1, items: [item(1)] }, 'b'),
  ]
  const sink = { traffic: async () => texts.map((text) => ({ atMs: 0, text })) } as unknown as Sink // no more is asked of it
  const [traffic] = await readTraffic(sink, 0)
  expect(traffic?.share).toBe(0.5)
  expect(traffic?.requests.map(({ key }) => key)).toEqual(['00000001', '00000001'])
})
