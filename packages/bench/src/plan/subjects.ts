import {
  createLimiter,
  type Decision,
  type Limiter,
  type Policies,
  type Policy,
  redisStore,
} from '@sluice/core'
import type { Redis } from 'ioredis'
import { disturbed, undisturbed } from '../rounds.ts'
import { silent } from '../silent.ts'

const log = { limit: 100_000, window: '1h' } as const
const slotted = { longestUs: 86_400e6, slotUs: 720e6 } as const

interface PolicyData {
  readonly strategy: string
  readonly [option: string]: unknown
}

/** Of which a key's state grows, and by how much at most. */
export interface Subject {
  readonly policy: PolicyData
  /** For what is asked again and again. @default policy */
  readonly again?: PolicyData
  /** Sizes at which a key is measured, beginning with 1: admissions that are kept, or slots. */
  readonly sizes: readonly number[]
  readonly cpuSizes: readonly number[]
  /** As the plan calls it. @default the strategy */
  readonly kind?: string
  /** Its keys are those of the strategy as most have it, whatever it is called. @default they are measured */
  readonly isStoredPlainly?: true
}

export function kindOf({ policy, kind = policy.strategy }: Subject): string {
  return kind
}

const upTo = (most: number) => Array.from({ length: most }, (_, i) => i + 1)
const one = { sizes: [1], cpuSizes: [1] }
/** One by one to where Redis leaves its compact form, then at and behind each doubling of its table. */
const admissions = {
  sizes: [...upTo(130), 160, 200, 256, 258, 320, 400, 512, 514, 640, 800, 1000],
  cpuSizes: [1, 100, 1000],
}
const bucket = { capacity: 10_000_000, count: 1000, period: '1h' }

/** Where the text of a state needs the next larger piece of memory. */
export const longGcraDigits: readonly number[] = [9, 25]
/** With an interval of seven digits, and of eleven. */
export const longGcraSubjects: readonly Subject[] = [
  { policy: { strategy: 'gcra', count: 777, period: '1h', burst: 10_000 }, ...one },
  { policy: { strategy: 'gcra', count: 4, period: '1d', burst: 10 }, ...one },
]

/** Every strategy that counts requests, so wide that nothing is refused and so slow that no key goes. */
const plain: readonly Subject[] = [
  { policy: { strategy: 'fixedWindow', limit: 1_000_000_000, window: '1h' }, ...one },
  { policy: { strategy: 'slidingWindowCounter', limit: 1_000_000_000, window: '1h' }, ...one },
  { policy: { strategy: 'gcra', count: 1000, period: '1h', burst: 10_000_000 }, ...one },
  { policy: { strategy: 'tokenBucket', ...bucket }, ...one },
  { policy: { strategy: 'leakyBucket', ...bucket }, ...one },
  {
    policy: { strategy: 'uniform', interval: '1h' },
    // Open at the next visit.
    again: { strategy: 'uniform', interval: '1ms' },
    ...one,
  },
  { policy: { strategy: 'slidingWindowLog', ...log }, ...admissions },
  { policy: { strategy: 'attributedWindow', ...log }, ...admissions },
  {
    policy: {
      strategy: 'multiWindow',
      limits: [
        { limit: 50_000, window: '2h' },
        { limit: 100_000, window: `${slotted.longestUs / 1e6}s` },
      ],
      slot: `${slotted.slotUs / 1e6}s`,
    },
    sizes: upTo(slotted.longestUs / slotted.slotUs + 1),
    cpuSizes: [1, slotted.longestUs / slotted.slotUs],
  },
]

/** One by one while few have come; the most that have a share of their own by default, and all others together. */
const clients = { sizes: [...upTo(20), 40, 60, 80, 101], cpuSizes: [1, 100] }
/** With a rate callers wait in any case. */
const reserving: readonly string[] = [
  'fixedWindow',
  'slidingWindowCounter',
  'slidingWindowLog',
  'multiWindow',
]
const counting: readonly string[] = [
  'fixedWindow',
  'slidingWindowCounter',
  'gcra',
  'tokenBucket',
  'leakyBucket',
  'multiWindow',
]

function among(strategies: readonly string[]): readonly Subject[] {
  return plain.filter(({ policy }) => strategies.includes(policy.strategy))
}

function withUnit({ policy, ...about }: Subject): Subject {
  const { strategy } = policy
  const limits = strategy === 'multiWindow' ? {} : countsOf(policy)
  return { ...about, kind: `${strategy} with unit`, policy: { ...policy, ...limits, unit: 0.001 } }
}

/** As wide, and within what numbers of units may be. */
function countsOf(policy: PolicyData): Record<string, unknown> {
  const narrower = Object.entries(policy).filter(([, value]) => typeof value === 'number' && value > 1e5)
  return Object.fromEntries(narrower.map(([name]) => [name, 100_000]))
}

/** What is measured: each strategy as most have it, those whose callers wait, those with digits behind the point, and shared keys. */
export const subjects: readonly Subject[] = [
  ...plain,
  ...among(reserving).map(
    ({ policy, ...about }): Subject => ({
      ...about,
      kind: `${policy.strategy} with maxDebt`,
      ...(about.sizes.length > 1 && { isStoredPlainly: true }),
      policy: { ...policy, maxDebt: '1m' },
    }),
  ),
  ...among(counting).map(withUnit),
  { policy: { strategy: 'fairShare', limit: 1_000_000_000, window: '1h' }, ...clients },
]

/** What a check says of who makes it: of a shared key the clients are as many as it has units, with names as long as usual keys. */
export function noteOf({ policy }: Subject, nth: number): { readonly note?: string } {
  return policy.strategy === 'fairShare' ? { note: `client-${String(nth).padStart(9, '0')}` } : {}
}

/** Brings keys to a size: by checks, and what would need a day of them as the script of that strategy writes it. */
export async function grow(
  { client, limiter, subject }: { client: Redis; limiter: Limiter<Policies>; subject: Subject },
  keys: readonly string[],
  { from, to }: { from: number; to: number },
): Promise<void> {
  const { strategy, maxDebt, unit } = subject.policy
  const slots = strategy === 'multiWindow'
  const checks = slots ? (from === 0 ? 1 : 0) : to - from
  for (let i = 0; i < checks; i++) await checkAll(limiter, keys, noteOf(subject, from + i))
  if (!slots) return
  const code = `mw${maxDebt === undefined ? '' : 'r'}${unit === undefined ? '' : '.3'}`
  const states = keys.map((key) => `sl3:{${key}}:${limiter.name}:${code}`)
  const [newest = ''] = (await client.hkeys(states[0] ?? '')).filter((field) => /^\d+$/.test(field))
  const older = upTo(to).slice(Math.max(0, from - 1), to - 1)
  if (older.length === 0) return
  const count = unit === undefined ? '1' : '1000'
  const fields = older.flatMap((age) => [String(Number(newest) - age * slotted.slotUs), count])
  for (const some of chunks(states, 128))
    await Promise.all(some.map((state) => client.hset(state, ...fields)))
}

/** Each key once, by a single check. */
export async function checkAll(
  limiter: Limiter<Policies>,
  keys: readonly string[],
  options: { readonly cost?: number; readonly note?: string } = {},
): Promise<void> {
  for (const some of chunks(keys, Math.ceil(128 / (options.cost ?? 1)))) {
    await undisturbed(async () => {
      const decisions = await Promise.all(some.map((key) => limiter.check(key, options)))
      for (const decision of decisions) mustBeFromRedis(decision)
    })
  }
}

function mustBeFromRedis({ source, allowed }: Pick<Decision, 'source' | 'allowed'>): void {
  if (source !== 'redis' || !allowed) throw disturbed('A check did not come to Redis, or was refused.')
}

function chunks(list: readonly string[], size: number): readonly (readonly string[])[] {
  const parts: string[][] = []
  for (let i = 0; i < list.length; i += size) parts.push(list.slice(i, i + size))
  return parts
}

/** What is counted here is the server's work: it may be late. */
const deadline = '30s'

/** A limiter over a store of its own, whose calls no other limiter shares. */
export function limiterOver(
  client: Redis,
  policies: { readonly [name: string]: Policy },
  name = 'default',
): Limiter<Policies> {
  return createLimiter({ name, policies, store: redisStore(client, { deadline }), logger: silent })
}
