import { type Check, fairShare, type Policy } from '@sluice/core'
import fc from 'fast-check'
import { expect } from '../runner.ts'
import { askOne, change, checkOf, freshKey } from './asking.ts'
import type { StoreCase } from './case.ts'
import { runs } from './runs.ts'
import { baseUs, type StoreUnderTest } from './under-test.ts'

const windowUs = 10_000_000

/** What one client asks for in each window, unit by unit. */
interface Client {
  readonly weight: number
  readonly wishes: readonly number[]
}

interface Scene {
  readonly limit: number
  readonly clients: readonly Client[]
  /** Decides who comes next. */
  readonly seed: number
}

const windows = 5

const scenes: fc.Arbitrary<Scene> = fc.record({
  limit: fc.constantFrom(1, 2, 5, 10, 24),
  clients: fc.array(
    fc.record({
      weight: fc.constantFrom(1, 1, 1, 2, 3),
      wishes: fc.array(fc.constantFrom(0, 0, 1, 3, 7, 12, 30), { minLength: windows, maxLength: windows }),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  seed: fc.nat(1000),
})

/** The requests of a window in an order that only the seed decides: each is the place of its client. */
function queueOf({ clients, seed }: Scene, window: number): readonly number[] {
  const requests = clients.flatMap(({ wishes }, nth) => Array<number>(wishes[window] ?? 0).fill(nth))
  let state = seed * 31 + window + 1
  for (let i = requests.length - 1; i > 0; i--) {
    state = (state * 48_271) % 2_147_483_647
    const other = state % (i + 1)
    const [one = 0, two = 0] = [requests[i], requests[other]]
    requests[i] = two
    requests[other] = one
  }
  return requests
}

/** Units that each client got in each window. */
async function play({ store, setClock }: StoreUnderTest, scene: Scene): Promise<readonly number[][]> {
  const { limit, clients } = scene
  const key = freshKey()
  const checks = clients.map(({ weight }, nth) =>
    checkOf(fairShare({ limit, window: '10s', weight }), key, { note: `client ${nth}` }),
  )
  const got: number[][] = []
  for (let window = 0; window < windows; window++) {
    const queue = queueOf(scene, window)
    const units = clients.map(() => 0)
    for (const [i, nth] of queue.entries()) {
      await setClock(baseUs + window * windowUs + Math.floor((i * windowUs) / queue.length))
      const check = checks[nth]
      if (check !== undefined && (await askOne(store, check)).allowed) units[nth] = (units[nth] ?? 0) + 1
    }
    got.push(units)
  }
  return got
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}

/** A client's share among those that ask in this window or asked in the last one: counted from what they ask, by no rule of the strategy. */
function shareOf({ limit, clients }: Scene, window: number, { weight }: Client): number {
  const active = clients.filter(({ wishes }) => (wishes[window] ?? 0) + (wishes[window - 1] ?? 0) > 0)
  return (limit * weight) / sum(active.map((each) => each.weight))
}

async function keepsShares(subject: StoreUnderTest, scene: Scene): Promise<void> {
  const got = await play(subject, scene)
  const { limit, clients } = scene
  for (const [window, units] of got.entries()) {
    expect(sum(units)).toBeLessThanOrEqual(limit)
    for (const [nth, client] of clients.entries()) {
      const [wish = 0, last = 0] = [client.wishes[window], client.wishes[window - 1]]
      const share = shareOf(scene, window, client)
      const isAlone = wish > 0 && share === limit
      if (isAlone)
        expect({ window, nth, got: units[nth] }).toEqual({ window, nth, got: Math.min(limit, wish) })
      // From the window after its first, as far as it asked for so much in both.
      const least = Math.min(wish, last, share) - 1
      if (least > 0) expect(units[nth]).toBeGreaterThanOrEqual(Math.ceil(least))
    }
  }
}

/** All that is wished for is given where it fits, and where it does not, nothing is left over once wishes go on as they are. */
async function wastesNothing(subject: StoreUnderTest, { limit, clients, seed }: Scene): Promise<void> {
  const steady = clients.map(({ weight, wishes }) => ({
    weight,
    wishes: Array<number>(windows).fill(wishes[0] ?? 0),
  }))
  const got = await play(subject, { limit, clients: steady, seed })
  const wished = sum(steady.map(({ wishes }) => wishes[0] ?? 0))
  expect(got.map(sum)).toEqual(got.map(() => Math.min(limit, wished)))
}

async function ask({ store }: StoreUnderTest, check: Check, times: number): Promise<number> {
  let allowed = 0
  for (let i = 0; i < times; i++) if ((await askOne(store, check)).allowed) allowed++
  return allowed
}

const flooded = fairShare({ limit: 40, window: '10s', maxClients: 8 })

/** Names that are made up for each request, a hundred in each window, and always before the honest client. */
async function floodOfNames(subject: StoreUnderTest): Promise<void> {
  const key = freshKey()
  const honest = checkOf(flooded, key, { note: 'honest' })
  await subject.setClock(baseUs)
  expect(await ask(subject, honest, 60)).toBe(40)
  for (let window = 1; window <= 4; window++) {
    await subject.setClock(baseUs + window * windowUs)
    for (let i = 0; i < 100; i++)
      await askOne(subject.store, checkOf(flooded, key, { note: `made up ${window}.${i}` }))
    // A third: one is of all who have no seat together, one of those who come new in a window.
    expect(await ask(subject, honest, 60)).toBeGreaterThanOrEqual(13)
    const stored = await subject.stored?.(honest)
    if (stored !== undefined) expect(stored?.length ?? 0).toBeLessThan(3000)
  }
}

/** A refund is room for everybody, and goes only to the window and the client that were charged. */
async function givesBackToItsOwn(subject: StoreUnderTest): Promise<void> {
  const { store, setClock } = subject
  const policy: Policy = fairShare({ limit: 4, window: '10s' })
  const key = freshKey()
  const mine = checkOf(policy, key, { note: 'amy' })
  const other = checkOf(policy, key, { note: 'ben' })
  await setClock(baseUs)
  const { receipt } = await askOne(store, { ...mine, cost: 3 })
  await askOne(store, other)
  await change(store, [{ check: { ...mine, cost: 3 }, receipt, byUnits: -3 }])
  expect((await askOne(store, { ...other, cost: 0 })).remaining).toBe(3)
  await setClock(baseUs + windowUs)
  await askOne(store, { ...mine, cost: 2 })
  await change(store, [{ check: { ...mine, cost: 3 }, receipt, byUnits: -3 }])
  expect((await askOne(store, { ...mine, cost: 0 })).remaining).toBe(1)
}

/** Who had all, was refused one more, and gave back all has asked for one, and has it in the next window. */
async function keepsWhatWasRefused({ store, setClock }: StoreUnderTest): Promise<void> {
  const policy: Policy = fairShare({ limit: 3, window: '10s' })
  const key = freshKey()
  const [mine, other] = ['amy', 'ben'].map((note) => checkOf(policy, key, { note })) as [Check, Check]
  await setClock(baseUs)
  const all = { ...mine, cost: 3 }
  const { receipt } = await askOne(store, all)
  expect((await askOne(store, mine)).allowed).toBe(false)
  await change(store, [{ check: all, receipt, byUnits: -3 }])
  await setClock(baseUs + windowUs)
  const answers = [other, other, other, mine].map((check) => () => askOne(store, check))
  const allowed: boolean[] = []
  for (const answer of answers) allowed.push((await answer()).allowed)
  expect(allowed).toEqual([true, true, false, true])
}

export const fairCases: readonly StoreCase[] = [
  {
    title:
      'gives each client its share from its second window on, never more than the limit, and all to who is alone',
    run: (subject: StoreUnderTest) =>
      fc.assert(
        fc.asyncProperty(scenes, (scene) => keepsShares(subject, scene)),
        runs(100, subject),
      ),
  },
  {
    title: 'leaves nothing unused that somebody asks for as before',
    run: (subject: StoreUnderTest) =>
      fc.assert(
        fc.asyncProperty(scenes, (scene) => wastesNothing(subject, scene)),
        runs(60, subject),
      ),
  },
  {
    title: 'keeps an honest client’s share from a flood of invented names, in bounded room',
    run: floodOfNames,
  },
  { title: 'gives back to the window and the client that were charged', run: givesBackToItsOwn },
  { title: 'keeps a share for who gave back all, for what it was refused', run: keepsWhatWasRefused },
].map((each) => ({ about: 'fairShare', ...each }))
