import type { Policy } from '@sluice/core'
import { definitions } from '@sluice/core/internal'
import {
  type CallCost,
  callCost,
  type Figures,
  longGcraBytes,
  measuredKeyLength,
  nameBytes,
  stateBytes,
  type Wire,
} from './figures-read.ts'
import type { Price, Rate } from './quantities.ts'

export interface GivenPolicy {
  readonly text: string
  readonly policy: Policy
  /** The kind under which it was measured, see `kindOf`. */
  readonly kind: string
  /** How many units an amount of 1 is. */
  readonly scale: number
  /** For `fairShare`: how many clients share a key. */
  readonly maxClients: number
}

/** The input of a plan. Shares are of 1, sizes in bytes, `shardNetwork` in bytes a second. */
export interface Given {
  readonly users: number
  readonly active: number
  readonly rate: Rate
  /** The peak, as a multiple of the mean. */
  readonly peak: number
  readonly policies: readonly GivenPolicy[]
  /** Whether every active user has a key that is as full as its limit allows. */
  readonly full: boolean
  /** How many users share a key of `fairShare`. */
  readonly clients: number
  readonly keyLength: number
  readonly regions: number
  readonly replicas: number
  readonly shardMemory: number
  readonly shardOps: number | undefined
  readonly shardNetwork: number | undefined
  readonly headroom: number
  readonly serverUs: number | undefined
  readonly prices: readonly Price[]
}

/** The keys of one policy in a region. */
export interface Keys {
  readonly text: string
  readonly strategy: string
  readonly kind: string
  /** How long one admission keeps a key. */
  readonly lifeSeconds: number
  readonly count: number
  /** The units by which a key's state grows; null where it does not grow. */
  readonly unit: 'admissions' | 'slots' | 'clients' | null
  readonly units: number
  readonly mostUnits: number
  readonly nameBytes: number
  readonly stateBytes: number
  /** 0 where one shard is enough. */
  readonly clusterBytes: number
  readonly bytes: number
}

export interface Plan {
  readonly activeUsers: number
  readonly meanPerSecond: number
  readonly peakPerSecond: number
  readonly request: { readonly us: CallCost } & { readonly [W in keyof Wire]: CallCost }
  readonly region: {
    readonly users: number
    readonly requestsPerSecond: number
    readonly keys: readonly Keys[]
    readonly keyCount: number
    readonly keyBytes: number
    readonly cores: number
    /** Bytes of the primaries: received, sent, and sent on to replicas. */
    readonly networkBytesPerSecond: number
    readonly shardsFor: {
      readonly memory: number
      readonly operations: number
      readonly network: number | null
    }
    readonly shards: number
    /** With that many shards. */
    readonly tableBytesOfShard: number
    readonly memoryOfShard: number
  }
  readonly shards: number
  readonly nodes: number
  /** The memory of all copies, without what stays free. */
  readonly memoryBytes: number
  readonly provisionedBytes: number
  readonly costPerHour: number | null
}

/** Strategies whose charges drain: each unit keeps a key for as long as it takes to drain. */
const draining = ['gcra', 'tokenBucket', 'leakyBucket']

/**
 * Characters that the name of a state has where a limiter has several policies: the limiter's name and the policy's, each with a
 * colon. Reckoned with a limiter called `default` and policies of seven letters.
 */
const severalNames = 'default:monthly:'.length

/** How many more characters the name has where amounts have digits behind the point. */
const unitName = '.2'.length

/** The two tables of a server with so many keys, one for keys and one for their lives, while they double: old and new are there. */
export function tableBytes(keys: number): number {
  const slots = 2 ** Math.ceil(Math.log2(Math.max(4, keys)))
  return 2 * 8 * (slots + slots / 2)
}

export function planOf(given: Given, figures: Figures): Plan {
  const { rate, regions, replicas, headroom, shardMemory } = given
  const activeUsers = given.users * given.active
  const meanPerSecond = (activeUsers * rate.amount) / rate.seconds
  const peakPerSecond = meanPerSecond * given.peak
  const load = { users: activeUsers / regions, perSecond: peakPerSecond / regions }
  const alone = given.policies.map((policy) => keysOf(policy, load, given, figures, 0))
  const inCluster = given.policies.map((policy) => keysOf(policy, load, given, figures, figures.clusterBytes))
  const request = requestOf(given, alone, figures)
  const free = 1 - headroom
  const operations = shardsForOperations(given, load.perSecond, request.us.sum)
  const network =
    load.perSecond * (request.question.sum + request.answer.sum + replicas * request.replica.sum)
  const forNetwork =
    given.shardNetwork === undefined ? null : Math.ceil(network / (given.shardNetwork * free))
  const others = Math.max(operations, forNetwork ?? 1)
  const isOne = others === 1 && memoryOf(alone, 1) <= shardMemory * free
  const keys = isOne ? alone : inCluster
  const memory = isOne ? 1 : shardsForMemory(keys, shardMemory * free)
  const shards = Math.max(memory, others)
  const keyCount = sum(keys.map(({ count }) => count))
  const nodes = shards * (1 + replicas) * regions
  return {
    activeUsers,
    meanPerSecond,
    peakPerSecond,
    request,
    region: {
      users: load.users,
      requestsPerSecond: load.perSecond,
      keys,
      keyCount,
      keyBytes: bytesOf(keys),
      cores: (load.perSecond * request.us.sum) / 1e6,
      networkBytesPerSecond: network,
      shardsFor: { memory, operations, network: forNetwork },
      shards,
      tableBytesOfShard: tableBytes(keyCount / shards),
      memoryOfShard: memoryOf(keys, shards),
    },
    shards: shards * regions,
    nodes,
    memoryBytes: memoryOf(keys, shards) * nodes,
    provisionedBytes: shardMemory * nodes,
    costPerHour:
      given.prices.length === 0 ? null : sum(given.prices.map((price) => costOf(price, nodes, shardMemory))),
  }
}

function keysOf(
  policy: GivenPolicy,
  { users, perSecond }: { users: number; perSecond: number },
  { full, keyLength, policies, clients }: Given,
  figures: Figures,
  clusterBytes: number,
): Keys {
  const { text, kind } = policy
  const { strategy, limit } = policy.policy
  const fullLife = definitions.horizonUs(policy.policy) / 1e6
  const lifeSeconds = draining.includes(strategy) ? fullLife / limit : fullLife
  const unit = unitOf(strategy)
  const most = unit === 'clients' ? users / Math.min(users, clients) : users
  const count = full ? most : Math.min(most, perSecond * lifeSeconds)
  const mostUnits = mostUnitsOf(policy, unit, { lifeSeconds, clients: Math.min(users, clients) })
  const units =
    unit === null ? 1 : full ? mostUnits : Math.max(1, Math.min(mostUnits, (perSecond * lifeSeconds) / count))
  const names = (policies.length > 1 ? severalNames : 0) + (policy.scale > 1 ? unitName : 0)
  const name = nameBytes(figures, keyLength + names)
  const own = unit === 'clients' ? units * (keyLength - measuredKeyLength) : 0
  const state = stateBytes(figures, kind, units) + longStateBytes(policy, figures) + own
  const bytes = name + state + clusterBytes
  return {
    text,
    strategy,
    kind,
    lifeSeconds,
    count,
    unit,
    units,
    mostUnits,
    nameBytes: name,
    stateBytes: state,
    clusterBytes,
    bytes,
  }
}

function unitOf(strategy: string): Keys['unit'] {
  if (strategy === 'multiWindow') return 'slots'
  if (strategy === 'fairShare') return 'clients'
  return strategy === 'slidingWindowLog' || strategy === 'attributedWindow' ? 'admissions' : null
}

/** Extra bytes of a `gcra` state: it holds its interval, which is short only where it is one or two digits and zeros. */
function longStateBytes({ policy, scale }: GivenPolicy, figures: Figures): number {
  const { strategy, limit, windowMs } = policy
  const interval = String(Math.round(((windowMs ?? 0) * 1000) / (limit * scale)))
  const isLong = strategy === 'gcra' && interval.replace(/0+$/, '').length > 2
  return isLong ? longGcraBytes(figures, interval.length) : 0
}

/** `clients`: how many share a key. Those that have no share of their own have one together. */
function mostUnitsOf(
  { policy, maxClients }: GivenPolicy,
  unit: Keys['unit'],
  { lifeSeconds, clients }: { lifeSeconds: number; clients: number },
): number {
  switch (unit) {
    case 'slots':
      return slotsOf(policy, lifeSeconds)
    case 'clients':
      return Math.min(clients, maxClients + 1)
    case 'admissions':
      return policy.limit
    case null:
      return 1
  }
}

/** How many slots a window has: a slot lives for the longest window and its own length. */
function slotsOf({ windowMs }: Policy, lifeSeconds: number): number {
  const longest = (windowMs ?? 0) / 1000
  return Math.round(lifeSeconds / (lifeSeconds - longest))
}

function requestOf({ keyLength, serverUs }: Given, keys: readonly Keys[], figures: Figures): Plan['request'] {
  const us = callCost(figures, 'us', keys)
  const longer = (cost: CallCost): CallCost => {
    const more = keyLength - measuredKeyLength
    // The name of a client is as long as a key.
    const added = cost.added.map((each, i) => each + more * (keys[i]?.unit === 'clients' ? 2 : 1))
    return { base: cost.base, added, sum: added.reduce((all, each) => all + each, cost.base) }
  }
  return {
    us: serverUs === undefined ? us : { base: serverUs, added: [], sum: serverUs },
    question: longer(callCost(figures, 'question', keys)),
    answer: callCost(figures, 'answer', keys),
    replica: longer(callCost(figures, 'replica', keys)),
  }
}

function shardsForOperations({ shardOps, headroom }: Given, perSecond: number, us: number): number {
  const most = shardOps ?? 1e6 / us
  return Math.ceil(perSecond / (most * (1 - headroom)))
}

/** The fewest shards of a cluster whose keys and tables fit into memory. */
function shardsForMemory(keys: readonly Keys[], usable: number): number {
  let shards = Math.max(1, Math.ceil(bytesOf(keys) / usable))
  while (memoryOf(keys, shards) > usable) shards++
  return shards
}

function memoryOf(keys: readonly Keys[], shards: number): number {
  return bytesOf(keys) / shards + tableBytes(sum(keys.map(({ count }) => count)) / shards)
}

const bytesOf = (keys: readonly Keys[]) => sum(keys.map(({ count, bytes }) => count * bytes))

function costOf({ amount, per }: Price, nodes: number, shardMemory: number): number {
  return amount * nodes * (per === 'GB-hour' ? shardMemory / 1e9 : 1)
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0)
