import {
  createLimiter,
  guardedStore,
  isOptionError,
  type Limiter,
  type Lists,
  type Policies,
  type Policy,
  type RedisClient,
  type Store,
} from '@sluice/core'
import { catalogue, inRedis } from '@sluice/core/internal'
import type { RunningProcess } from './reader.ts'
import type { DescribedLimiter } from './wire.ts'

/** Limiters of running services, made anew on their counts. */
export interface Rebuilt {
  readonly limiters: readonly Limiter<Policies>[]
  /** For limiters whose keys are networks of clients: how many bits of an IPv6 address a network has. */
  readonly networkBits: ReadonlyMap<Limiter<Policies>, number>
  /** Limiters that cannot be reached from outside, and why. */
  readonly left: readonly { readonly name: string; readonly why: string }[]
  /** Names of limiters with lists that only their own process knows, such as a file: the entries are not known here. */
  readonly ownLists: readonly string[]
  readonly close: () => Promise<void>
}

const quiet = { warn() {}, error() {} }
const thisVersion = 'this version of the program, as its process may have a later one'

/**
 * Makes the limiters of running services anew, on the same counts, so that keys can be inspected, blocked, unblocked and reset. If
 * processes have different policies by one name, as during a deployment, each of these gets a limiter. `lists` are those that the
 * processes share: `listsOf(await reader.lists.entries())`.
 */
export function rebuildLimiters(
  processes: readonly RunningProcess[],
  redis: RedisClient,
  lists?: Lists,
): Rebuilt {
  const stores = new Map<string, Store>()
  const left = new Map<string, string>()
  const limiters: Limiter<Policies>[] = []
  const times = new Map<string, number>()
  const networkBits = new Map<Limiter<Policies>, number>()
  const ownLists = new Set<string>()
  for (const described of differentOf(processes)) {
    if (described.ownLists) ownLists.add(described.name)
    const policies = policiesOf(described)
    const why = whyNot(described, policies)
    if (why !== undefined) left.set(described.name, why)
    if (Object.keys(policies).length === 0) continue
    const place = `${described.prefix} ${described.name}`
    const nth = times.get(place) ?? 0
    times.set(place, nth + 1)
    const store = storeFor(stores, { redis, prefix: described.prefix ?? '', nth })
    const limiter = limiterOf(described, policies, {
      lists: lists !== undefined && described.listed ? [lists] : [],
      store,
    })
    if (limiter === undefined) {
      left.set(described.name, `it cannot be made anew by ${thisVersion}`)
      continue
    }
    limiters.push(limiter)
    if (typeof described.networkBits === 'number') networkBits.set(limiter, described.networkBits)
  }
  return {
    limiters,
    networkBits,
    left: [...left].map(([name, why]) => ({ name, why })),
    ownLists: [...ownLists],
    close: async () => {
      await Promise.all(limiters.map((limiter) => limiter.close()))
      await Promise.all([...stores.values()].map((store) => store.close()))
    },
  }
}

/** undefined where this version cannot make it. */
function limiterOf(
  described: DescribedLimiter,
  policies: Known,
  others: { readonly lists: readonly Lists[]; readonly store: Store },
): Limiter<Policies> | undefined {
  return unlessLater(() =>
    createLimiter({
      name: described.name,
      policies,
      tag: tagsOf(described, policies),
      shadow: shadowsOf(described, policies),
      ...others,
      logger: quiet,
    }),
  )
}

/** What was described by a later version may have options that are unknown here: undefined. */
function unlessLater<T>(make: () => T): T | undefined {
  try {
    return make()
  } catch (error) {
    if (isOptionError(error)) return undefined
    throw error
  }
}

/** On one store a name has one limiter, so the second of a name gets another store. */
function storeFor(
  stores: Map<string, Store>,
  { redis, prefix, nth }: { redis: RedisClient; prefix: string; nth: number },
): Store {
  const name = `${nth} ${prefix}`
  const known = stores.get(name)
  if (known !== undefined) return known
  // On a connection of its own, as a caller's client may have another store already.
  const inner = new inRedis.RedisStore({
    connection: inRedis.readClient(redis).connectAgain(),
    prefix,
    deadlineUs: 0,
  })
  const store = guardedStore(inner, { deadline: '2s', connectDeadline: '3s' })
  stores.set(name, store)
  return store
}

function differentOf(processes: readonly RunningProcess[]): readonly DescribedLimiter[] {
  const different = new Map<string, DescribedLimiter>()
  for (const { limiters } of processes)
    for (const limiter of limiters) different.set(JSON.stringify(limiter), limiter)
  return [...different.values()]
}

function whyNot({ prefix, store, policies }: DescribedLimiter, known: Known): string | undefined {
  if (prefix === null) return `it counts in "${store}", which only its own process reaches`
  if (policies === null) return 'it is a tree of limits: use the dashboard, or its own process'
  const custom = policies.filter(({ name }) => !Object.hasOwn(known, name))
  if (custom.length === 0) return undefined
  const names = custom.map(({ name, strategy }) => `${name} (${strategy || 'chosen for each request'})`)
  const by = custom.every(({ data }) => data === null) ? 'outside its process' : `by ${thisVersion}`
  return `these policies cannot be made anew ${by}: ${names.join(', ')}`
}

function policiesOf({ prefix, policies }: DescribedLimiter): { readonly [name: string]: Policy } {
  if (prefix === null || policies === null) return {}
  const known = policies.flatMap(({ name, data }) => {
    const policy = data === null ? undefined : unlessLater(() => catalogue.policyOfData(data))
    return policy === undefined ? [] : [[name, policy] as const]
  })
  return Object.fromEntries(known)
}

type Known = ReturnType<typeof policiesOf>

function shadowsOf({ policies }: DescribedLimiter, known: Known): { readonly [name: string]: boolean } {
  const shadows = policies?.filter(({ name }) => Object.hasOwn(known, name)) ?? []
  return Object.fromEntries(shadows.map(({ name, shadow }) => [name, shadow === true]))
}

function tagsOf({ policies }: DescribedLimiter, known: Known): { readonly [name: string]: number } {
  const tags = policies?.flatMap(({ name, tag }) =>
    tag === null || !Object.hasOwn(known, name) ? [] : [[name, tag] as const],
  )
  return Object.fromEntries(tags ?? [])
}
