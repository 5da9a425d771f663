// Counts what a check allocates: started by the guard, without V8's optimizing compilers, which would leave out what they find
// superfluous, at another moment in every run. What is counted is what the code asks for, the same in every run.
import { Session } from 'node:inspector/promises'
import { createLimiter, fixedWindow, gcra, redisStore } from '@sluice/core'
import { Redis } from 'ioredis'

const checks = 128

/** Objects that one check allocates, bytes, and how many of these only a full collection frees, though the check is over. */
export interface Allocations {
  readonly objects: number
  readonly bytes: number
  readonly oldBytes: number
}

const session = new Session()
session.connect()

/**
 * Of `checks` each, with a collection of what is young after each. So many that what a process leaves behind once, up to half a
 * megabyte, is little beside them.
 */
const turns = 80

/** What differs between two runs in memory: a few objects of V8's own. */
const inMemory = 3
/** After a machine has held up Redis, a call carries fewer checks for a while. */
const onServer = 10

/** Counts several times, and answers the least of each. */
async function countedOf(run: (times: number) => Promise<void>, rounds: number): Promise<Allocations> {
  await run(4 * checks)
  const oldBytes = await oldBytesOf(run)
  let least = await countOnce(run)
  for (let i = 1; i < rounds; i++) {
    const { objects, bytes } = await countOnce(run)
    least = { objects: Math.min(objects, least.objects), bytes: Math.min(bytes, least.bytes) }
  }
  return { ...least, oldBytes }
}

/**
 * An object that is made among the old ones, or comes there, keeps all that it names, and through it every check that follows: half of
 * a program's time may then go into copying what nobody needs.
 */
async function oldBytesOf(run: (times: number) => Promise<void>): Promise<number> {
  globalThis.gc?.()
  for (let i = 0; i < turns; i++) {
    await run(checks)
    // What has survived two of these is old.
    globalThis.gc?.({ type: 'minor' })
  }
  globalThis.gc?.({ type: 'minor' })
  const before = process.memoryUsage().heapUsed
  globalThis.gc?.()
  return Math.max(0, before - process.memoryUsage().heapUsed) / (turns * checks)
}

interface Place {
  readonly id: number
  readonly callFrame: { readonly functionName: string }
  readonly children: readonly Place[]
}

interface Sampled {
  readonly head: Place
  readonly samples: readonly { readonly size: number; readonly nodeId: number }[]
}

/** Where a function of this name allocates. */
function idsOf({ id, callFrame, children }: Place, name: string): ReadonlySet<number> {
  const own = callFrame.functionName === name ? [id] : []
  return new Set([...own, ...children.flatMap((child) => [...idsOf(child, name)])])
}

/** What asking for the profile allocates is no part of a check. */
async function countOnce(run: (times: number) => Promise<void>): Promise<Omit<Allocations, 'oldBytes'>> {
  globalThis.gc?.()
  // At every allocation, those that are collected meanwhile too.
  const about = { includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true }
  await session.post('HeapProfiler.startSampling', { samplingInterval: 1, ...about })
  await run(checks)
  const { profile } = await session.post('HeapProfiler.stopSampling')
  const { head, samples: all } = profile as unknown as Sampled // not in the types of Node 20
  const measuring = idsOf(head, 'post')
  const samples = all.filter(({ nodeId }) => !measuring.has(nodeId))
  const bytes = samples.reduce((sum, { size }) => sum + size, 0)
  return { objects: samples.length / checks, bytes: bytes / checks }
}

interface Asked {
  check(key: string): Promise<unknown>
}

function inTurn(limiter: Asked, keys: readonly string[]): (times: number) => Promise<void> {
  return async (times) => {
    for (let i = 0; i < times; i++) await limiter.check(keys[i % keys.length] ?? '')
  }
}

function atOnce(limiter: Asked, keys: readonly string[]): (times: number) => Promise<void> {
  return async (times) => {
    for (let i = 0; i < times; i += keys.length) await Promise.all(keys.map((key) => limiter.check(key)))
  }
}

const counter = fixedWindow({ limit: 1_000_000_000, window: '1h' })
const rate = gcra({ count: 1000, period: '1h', burst: 10_000_000 })
const narrow = fixedWindow({ limit: 1, window: '1h' })
const keys = Array.from({ length: 64 }, (_, i) => `user-${String(i).padStart(3, '0')}`)
const addresses = Array.from({ length: 64 }, (_, i) => `2001:db8:1:${(i + 256).toString(16)}::1`)
const logger = { warn() {}, error() {} }

const client = new Redis(Number(process.argv[2]), '127.0.0.1')
// A slow run is not to be answered by the fallback.
const store = redisStore(client, { deadline: '10s' })
const inRedis = createLimiter({ name: 'guard', policy: counter, store, logger })
await inRedis.ready()
const ahead = createLimiter({ name: 'ahead', policy: counter, store, logger, ahead: '1m' })
const full = createLimiter({ name: 'full', policy: narrow, store, logger })

const counted: Readonly<Record<string, Allocations>> = {
  'memory, counter': await countedOf(inTurn(createLimiter({ policy: counter }), keys), inMemory),
  'memory, GCRA': await countedOf(inTurn(createLimiter({ policy: rate }), keys), inMemory),
  'memory, IPv6 addresses': await countedOf(inTurn(createLimiter({ policy: counter }), addresses), inMemory),
  'memory, refused': await countedOf(inTurn(createLimiter({ policy: narrow }), ['user-000']), inMemory),
  'Redis, one at a time': await countedOf(inTurn(inRedis, keys), onServer),
  'Redis, units in hand': await countedOf(inTurn(ahead, ['user-000']), inMemory),
  'Redis, refused again': await countedOf(inTurn(full, ['user-000']), inMemory),
  'Redis, 64 at once': await countedOf(atOnce(inRedis, keys), onServer),
}
console.log(JSON.stringify(counted))
client.disconnect()
