import { setImmediate as turn } from 'node:timers/promises'
import { createLimiter, fixedWindow, type Store } from '@sluice/core'
import { type RedisCluster, until } from '@sluice/faults'
import { silent } from '../calls.ts'

export interface Resharded {
  readonly slots: number
  readonly checks: number
  /** Most admissions of a key, in limits. */
  readonly most: {
    /** Where nobody is admitted without Redis: keys of the masters that live, and of the one that dies. */
    readonly deny: { readonly elsewhere: number; readonly failed: number }
    readonly local: number
  }
  /** Fewest: each limit was used up. */
  readonly fewest: number
  readonly movingMs: number
}

const limit = 20
const keysEach = 60
const workers = 8
/** Of a master's 5,461. */
const firstSlot = 100

/**
 * Moves slots from the first master to the second while keys in them, and on every master, are asked; in the middle, with a slot
 * half moved, the first master is killed.
 */
export async function reshard(
  cluster: RedisCluster,
  { store, slots }: { readonly store: Store; readonly slots: number },
): Promise<Resharded> {
  const limiterOf = (name: 'deny' | 'local') =>
    createLimiter({
      name,
      policy: fixedWindow({ limit, window: '1h' }),
      store,
      onStoreFailure: name,
      logger: silent,
    })
  const limiters = { deny: limiterOf('deny'), local: limiterOf('local') }
  const watched = await watchedKeys(cluster, slots)
  const keys = watched.map(({ key }) => key)
  const admitted = { deny: new Map<string, number>(), local: new Map<string, number>() }
  let checks = 0
  let over = false
  async function askOne(name: 'deny' | 'local', key: string): Promise<string> {
    const { allowed, source } = await limiters[name].check(key)
    checks++
    if (allowed) admitted[name].set(key, (admitted[name].get(key) ?? 0) + 1)
    return allowed ? 'allowed' : source
  }
  async function askOn(): Promise<void> {
    while (!over) {
      const key = keys[Math.floor(Math.random() * keys.length)] ?? ''
      await Promise.all([askOne('deny', key), askOne('local', key)])
      // A refusal that is repeated needs no server: without a turn of its own nothing else would run.
      await turn()
    }
  }
  const asking = Promise.all(Array.from({ length: workers }, askOn))
  const startedMs = performance.now()
  const [source, target] = [cluster.master(0), cluster.master(1)]
  const half = firstSlot + Math.floor(slots / 2)
  for (let slot = firstSlot; slot < half; slot++) await cluster.moveSlot(slot, target)
  await cluster.moveSlot(half, target, 'opened')
  const some = await source.client.cluster('GETKEYSINSLOT', half, 30)
  if (some.length > 0)
    await source.client.migrate('127.0.0.1', target.server.port, '', 0, 5000, 'KEYS', ...some)
  await source.server.kill()
  await cluster.tookOver(cluster.replica(0))
  // A server that imports a slot believes nobody about it until it is told so.
  await target.client.cluster('SETSLOT', half, 'STABLE')
  await until(async () => (await cluster.holder(half)) === cluster.replica(0), {
    what: 'everybody knows the new master',
  })
  for (let slot = half; slot < firstSlot + slots; slot++) await cluster.moveSlot(slot, target)
  const movingMs = performance.now() - startedMs
  over = true
  await asking
  // The second is asked once Redis decides again.
  for (const name of ['deny', 'local'] as const) await useUp(keys, (key) => askOne(name, key))
  const most = (of: readonly Watched[], name: 'deny' | 'local') =>
    Math.max(...of.map(({ key }) => admitted[name].get(key) ?? 0)) / limit
  const failed = watched.filter(({ isFailed }) => isFailed)
  const elsewhere = watched.filter(({ isFailed }) => !isFailed)
  const fewest = Math.min(...keys.map((key) => admitted.deny.get(key) ?? 0)) / limit
  for (const limiter of Object.values(limiters)) await limiter.close()
  return {
    slots,
    checks,
    most: {
      deny: { elsewhere: most(elsewhere, 'deny'), failed: most(failed, 'deny') },
      local: most(watched, 'local'),
    },
    fewest,
    movingMs,
  }
}

/** Until every key is refused by somebody who counts. */
async function useUp(keys: readonly string[], ask: (key: string) => Promise<string>): Promise<void> {
  for (const key of keys) {
    await until(
      async () => {
        let answer = await ask(key)
        while (answer === 'allowed') answer = await ask(key)
        return answer !== 'none'
      },
      { what: 'a key that is used up' },
    )
  }
}

interface Watched {
  readonly key: string
  /** The first master had it at first. */
  readonly isFailed: boolean
}

/** Of the keys that there are: some in slots that move, and some of each master. */
async function watchedKeys(cluster: RedisCluster, slots: number): Promise<readonly Watched[]> {
  const parts = [
    { nth: 0, from: firstSlot, to: firstSlot + slots },
    { nth: 0, from: 2000, to: 5000 },
    { nth: 1, from: 6000, to: 10_000 },
    { nth: 2, from: 12_000, to: 16_000 },
  ]
  const watched: Watched[] = []
  for (const { nth, from, to } of parts) {
    const names = new Set<string>()
    for (let slot = from; slot < to && names.size < keysEach; slot++) {
      const states = await cluster.master(nth).client.cluster('GETKEYSINSLOT', slot, 4)
      for (const state of states) names.add(/\{(.*)\}/.exec(String(state))?.[1] ?? '')
    }
    watched.push(...[...names].map((key) => ({ key, isFailed: nth === 0 })))
  }
  return watched
}
