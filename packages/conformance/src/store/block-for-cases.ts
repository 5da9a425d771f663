import {
  attributedWindow,
  type BlockForOptions,
  type Check,
  type Duration,
  fixedWindow,
  gcra,
  type Policy,
  type StoreRow,
  slidingWindowLog,
  uniform,
} from '@sluice/core'
import { catalogue } from '@sluice/core/internal'
import { expect } from '../runner.ts'
import { ask, askAll, askOne, change, checkOf, freshKey, inspect, manage } from './asking.ts'
import type { StoreCase } from './case.ts'
import { baseUs, type StoreUnderTest } from './under-test.ts'

const second = 1_000_000
const minute = 60 * second

function two(blockFor: Duration | BlockForOptions): Policy {
  return fixedWindow({ limit: 2, window: '10s', blockFor })
}

function said({ reason, retryAfterUs, resetAfterUs, remaining }: StoreRow): unknown {
  expect(resetAfterUs).toBe(retryAfterUs)
  return [reason, remaining, retryAfterUs / second]
}

/** A store, at an instant of its clock, and one key. */
class Scene {
  readonly #subject: StoreUnderTest
  readonly check: Check

  constructor(subject: StoreUnderTest, policy: Policy, more: Partial<Check> = {}) {
    this.#subject = subject
    this.check = checkOf(policy, freshKey(), more)
  }

  get store(): StoreUnderTest['store'] {
    return this.#subject.store
  }

  at(seconds: number): Promise<void> {
    return this.#subject.setClock(baseUs + seconds * second)
  }

  /** Asks `times` times and returns the last answer. */
  async ask(times = 1): Promise<unknown> {
    let row = await askOne(this.store, this.check)
    for (let i = 1; i < times; i++) row = await askOne(this.store, this.check)
    return row.allowed ? 'allowed' : said(row)
  }

  async blocks(): Promise<unknown> {
    const { blockedUs, banned, blocks } = await inspect(this.store, this.check)
    return [blockedUs === null ? null : blockedUs / second, banned, blocks]
  }
}

async function blocksForATime(subject: StoreUnderTest): Promise<void> {
  const scene = new Scene(subject, two('1m'))
  await scene.at(0)
  expect(await scene.ask(2)).toBe('allowed')
  expect(await scene.ask()).toEqual(['blocked', 0, 60])
  await scene.at(20)
  expect(await scene.ask(3)).toEqual(['blocked', 0, 40])
  expect(await scene.blocks()).toEqual([40, false, 0])
  await scene.at(60)
  expect(await scene.ask(2)).toBe('allowed')
  expect(await scene.ask()).toEqual(['blocked', 0, 60])
}

const growing = {
  first: '1m',
  factor: 2,
  longest: '3m',
  banAfter: 3,
  banFor: '1h',
  forgetAfter: '10m',
} as const

async function growsUpToABan(subject: StoreUnderTest): Promise<void> {
  const scene = new Scene(subject, two(growing))
  await scene.at(0)
  expect(await scene.ask(3)).toEqual(['blocked', 0, 60])
  await scene.at(60)
  expect(await scene.ask(3)).toEqual(['blocked', 0, 120])
  expect(await scene.blocks()).toEqual([120, false, 2])
  await scene.at(180)
  expect(await scene.ask(3)).toEqual(['blocked', 0, 180])
  await scene.at(360)
  expect(await scene.blocks()).toEqual([null, false, 3])
  expect(await scene.ask(3)).toEqual(['banned', 0, 3600])
  await scene.at(400)
  expect(await scene.ask()).toEqual(['banned', 0, 3560])
  expect(await scene.blocks()).toEqual([3560, true, 4])
  // A penalty that ends earlier changes nothing, and a count that is set is behind the ban.
  await manage(scene.store, 'block', scene.check, { us: minute, later: true })
  await manage(scene.store, 'set', scene.check, { units: 1 })
  expect(await scene.ask()).toEqual(['banned', 0, 3560])
  // A block by hand is no ban.
  await manage(scene.store, 'block', scene.check, { us: minute })
  expect(await scene.ask()).toEqual(['blocked', 0, 60])
  await manage(scene.store, 'unblock', scene.check)
  expect(await scene.blocks()).toEqual([null, false, 0])
  expect(await scene.ask(2)).toEqual(['blocked', 0, 60])
}

async function forgets(subject: StoreUnderTest): Promise<void> {
  const scene = new Scene(subject, two(growing))
  await scene.at(0)
  await scene.ask(3)
  await scene.at(659)
  expect(await scene.ask(3)).toEqual(['blocked', 0, 120])
  await scene.at(659 + 120 + 600)
  expect(await scene.blocks()).toEqual([null, false, 0])
  expect(await scene.ask(3)).toEqual(['blocked', 0, 60])
  await manage(scene.store, 'reset', scene.check)
  expect(await scene.ask(2)).toBe('allowed')
  expect(await scene.ask()).toEqual(['blocked', 0, 60])
}

/** A client that waits for as long as the refusal stated passes. */
async function lastsAsLongAsTheWait(subject: StoreUnderTest, policy: Policy): Promise<void> {
  const scene = new Scene(subject, policy)
  await scene.at(0)
  const { retryAfterUs } = await firstRefusal(scene)
  await subject.setClock(baseUs + retryAfterUs - 1)
  expect(await askOne(scene.store, scene.check, { take: false })).toMatchObject({ reason: 'blocked' })
  await subject.setClock(baseUs + retryAfterUs)
  expect(await scene.ask()).toBe('allowed')
}

async function firstRefusal({ store, check }: Scene): Promise<StoreRow> {
  for (;;) {
    const row = await askOne(store, check)
    if (!row.allowed) return row
  }
}

async function looksBlockNothing(subject: StoreUnderTest): Promise<void> {
  const scene = new Scene(subject, two(growing))
  await scene.at(0)
  await scene.ask(2)
  const look = await askOne(scene.store, scene.check, { take: false })
  expect(look).toMatchObject({ reason: 'limited', retryAfterUs: 10 * second })
  expect(await scene.blocks()).toEqual([null, false, 0])
  // A cost that never fits is no reason to block the key.
  expect(await askOne(scene.store, { ...scene.check, cost: 3 })).toMatchObject({ reason: 'too-costly' })
  expect(await scene.blocks()).toEqual([null, false, 0])
  expect(await scene.ask()).toEqual(['blocked', 0, 60])
}

async function onlyWhoRefuses(subject: StoreUnderTest): Promise<void> {
  const { store, setClock } = subject
  await setClock(baseUs)
  const key = freshKey()
  const [tight, wide, shadow] = [
    checkOf(two('1m'), key, { id: 'suite:tight:fw' }),
    checkOf(fixedWindow({ limit: 9, window: '1h', blockFor: growing }), key, { id: 'suite:wide:fw' }),
    checkOf(two(growing), key, { id: 'suite:shadow:fw', shadow: true }),
  ]
  for (const charge of ['all-or-nothing', 'every-level'] as const) {
    for (const check of [tight, wide, shadow]) await manage(store, 'reset', check)
    await ask(store, [tight, wide, shadow], { charge })
    await ask(store, [tight, wide, shadow], { charge })
    const rows = await ask(store, [tight, wide, shadow], { charge })
    expect(rows.map(({ reason, retryAfterUs }) => [reason, retryAfterUs / second])).toEqual([
      ['blocked', 60],
      [null, 0],
      ['blocked', 60],
    ])
    expect(rows[1]).toMatchObject({ remaining: charge === 'every-level' ? 6 : 7 })
    expect(await inspect(store, wide)).toMatchObject({ blockedUs: null, blocks: 0 })
    // A shadow policy blocks for itself alone.
    const [alone] = await ask(store, [wide, shadow], { charge })
    expect(alone).toMatchObject({ allowed: true })
    expect(await inspect(store, shadow)).toMatchObject({ blocks: 1 })
  }
}

/** Of many that ask at once one refusal blocks, and the others meet the block. */
async function onceInACrowd(subject: StoreUnderTest, policy: Policy): Promise<void> {
  const { store, setClock } = subject
  await setClock(baseUs)
  const key = freshKey()
  const check = checkOf(policy, key)
  const other = checkOf(policy, freshKey())
  const question = (each: Check) => ({
    checks: [each],
    charge: 'all-or-nothing' as const,
    maxWaitUs: 0,
    take: true,
  })
  const crowd = [check, other, check, check, check, other, check]
  const rows = (await askAll(subject, crowd.map(question))).flat()
  const reasons = rows.map(({ reason }) => reason)
  const left = policy.limit === 1 ? 'blocked' : null
  expect(reasons).toEqual([null, null, left, 'blocked', 'blocked', left, 'blocked'])
  expect(await inspect(store, check)).toMatchObject({ blockedUs: minute, blocks: 1 })
}

async function keepsWhatIsBehind(subject: StoreUnderTest, policy: Policy): Promise<void> {
  const scene = new Scene(subject, policy, { cost: 1000, note: 'who' })
  await scene.at(0)
  expect(await scene.ask(2)).toEqual(['blocked', 0, 20])
  await scene.at(5)
  expect(await scene.ask()).toEqual(['blocked', 0, 20])
  expect(await inspect(scene.store, scene.check)).toMatchObject({ row: { remaining: 500 } })
  await scene.at(25)
  expect(await scene.ask()).toBe('allowed')
}

async function prolongs(subject: StoreUnderTest): Promise<void> {
  const scene = new Scene(subject, two({ ...growing, prolong: true }))
  await scene.at(0)
  expect(await scene.ask(3)).toEqual(['blocked', 0, 60])
  await scene.at(40)
  expect(await scene.ask()).toEqual(['blocked', 0, 60])
  await scene.at(99)
  expect(await askOne(scene.store, scene.check, { take: false })).toMatchObject({ retryAfterUs: second })
  await scene.at(100)
  expect(await scene.ask(3)).toEqual(['blocked', 0, 120])
  // A block by hand that is longer stays as it is, a ban too.
  await manage(scene.store, 'block', scene.check, { us: 60 * minute })
  await scene.at(200)
  expect(await scene.ask()).toEqual(['blocked', 0, 3500])
}

/** A caller that would wait is blocked where its wait is not accepted. */
async function blocksWhoWouldWait(subject: StoreUnderTest): Promise<void> {
  const scene = new Scene(subject, gcra({ count: 1, period: '10s', blockFor: '1m' }))
  await scene.at(0)
  await scene.ask()
  const patient = { maxWaitUs: 15 * second }
  expect(await askOne(scene.store, scene.check, patient)).toMatchObject({ allowed: true })
  expect(await askOne(scene.store, scene.check, patient)).toMatchObject({
    reason: 'blocked',
    retryAfterUs: minute,
  })
}

/** Nothing is corrected behind a block by a policy either. */
async function givesNothingBack(subject: StoreUnderTest): Promise<void> {
  const scene = new Scene(subject, two('1m'))
  await scene.at(0)
  const { receipt } = await askOne(scene.store, scene.check)
  await scene.ask(2)
  await change(scene.store, [{ check: scene.check, receipt, byUnits: -1 }])
  expect(await scene.ask()).toEqual(['blocked', 0, 60])
}

const large = [
  slidingWindowLog({ limit: 1500, window: '10s', blockFor: { first: '20s', prolong: true } }),
  attributedWindow({ limit: 1500, window: '10s', blockFor: { first: '20s', prolong: true } }),
]

/** One policy of each strategy that can block, with a block shorter than the wait that its refusals state. */
const everyBlocking: readonly Policy[] = [...catalogue.declaredStrategies.values()]
  .filter(({ options }) => options.blockFor !== undefined)
  .map((declared) => {
    const options = catalogue.optionsFor(declared, { units: 3, span: '10s' })
    return catalogue.policyOfData({ strategy: declared.name, ...options, blockFor: 1 })
  })

/** Policies that block the keys that they refuse. */
export const blockForCases: readonly StoreCase[] = [
  { title: 'refuse a key for a time, whatever its count', run: blocksForATime },
  { title: 'block for longer each time, and ban in the end', run: growsUpToABan },
  { title: 'forget what is long ago, or was reset', run: forgets },
  { title: 'block nothing for a look, or a cost that never fits', run: looksBlockNothing },
  { title: 'block each for itself, and in shadow mode nobody else', run: onlyWhoRefuses },
  ...[
    two(growing),
    uniform({ interval: '10s', blockFor: growing }),
    slidingWindowLog({ limit: 2, window: '10s', blockFor: growing }),
  ].map((policy) => ({
    title: `block a key once, though many ask at once (${policy.strategy})`,
    run: (subject: StoreUnderTest) => onceInACrowd(subject, policy),
  })),
  ...everyBlocking.map((policy) => ({
    title: `block at least until the same request passes (${policy.strategy})`,
    run: (subject: StoreUnderTest) => lastsAsLongAsTheWait(subject, policy),
  })),
  ...large.map((policy) => ({
    title: `keep large state, also while requests prolong a block (${policy.strategy})`,
    run: (subject: StoreUnderTest) => keepsWhatIsBehind(subject, policy),
  })),
  { title: 'let requests prolong a block where they are asked to', run: prolongs },
  { title: 'block callers whose wait is not accepted', run: blocksWhoWouldWait },
  { title: 'get nothing back behind a block', run: givesNothingBack },
].map((each) => ({ about: 'policies that block', ...each }))
