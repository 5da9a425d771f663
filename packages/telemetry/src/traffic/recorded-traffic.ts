import type { Sink } from '../sink.ts'
import { type Item, slotMs } from './key-sample.ts'
import { entryOf, type TrafficEntry } from './traffic-text.ts'

/** The largest share of entries that may be left out because they have fewer keys than the others. */
const mostLeftOut = 0.05

/** Requests of one key at one time, to a tenth of a second. */
export interface RecordedRequests {
  /** Milliseconds since 1970, on the store's clock. */
  readonly atMs: number
  /** Stands for the key, which is not recorded. */
  readonly key: string
  readonly requests: number
  /** The units of all these requests together. */
  readonly units: number
}

/** The requests that recorders with `traffic` have kept of one policy. */
export interface RecordedTraffic {
  readonly limiter: string
  readonly policy: string
  /** The share of keys that were kept: 1 where there was room for all. All requests of a key are there, or none. */
  readonly share: number
  /** In the order of their times. */
  readonly requests: readonly RecordedRequests[]
}

/**
 * Reads the requests that recorders with the option `traffic` have kept, for each policy of each limiter.
 *
 * @example
 * const sink = redisSink({ redis: 'redis://localhost' })
 * for (const { limiter, policy, requests } of await readTraffic(sink, 0)) console.log(limiter, policy, requests.length)
 */
export async function readTraffic(sink: Sink, fromMs: number): Promise<readonly RecordedTraffic[]> {
  const kept = (await sink.traffic?.(fromMs)) ?? []
  const entries = kept.flatMap(({ text }) => entryOf(text) ?? [])
  return [...byPolicy(entries).values()].map(trafficOf)
}

function byPolicy(entries: readonly TrafficEntry[]): ReadonlyMap<string, readonly TrafficEntry[]> {
  const all = new Map<string, TrafficEntry[]>()
  for (const entry of entries) {
    const name = JSON.stringify([entry.limiter, entry.policy])
    const known = all.get(name)
    if (known === undefined) all.set(name, [entry])
    else known.push(entry)
  }
  return all
}

/** Keeps only keys that every entry had room for. The few entries that had room for far fewer keys are left out first. */
function trafficOf(entries: readonly TrafficEntry[]): RecordedTraffic {
  const [{ limiter, policy } = { limiter: '', policy: '' }] = entries
  const sorted = entries.map(({ halvings }) => halvings).sort((a, b) => a - b)
  const halvings = sorted[Math.ceil(sorted.length * (1 - mostLeftOut)) - 1] ?? 0
  const share = 1 / 2 ** halvings
  const items = entries
    .filter((entry) => entry.halvings <= halvings)
    .flatMap((entry) => entry.items)
    .filter(({ hash }) => hash < share * 2 ** 32)
  return { limiter, policy, share, requests: items.sort((a, b) => a.slot - b.slot).map(requestsOf) }
}

function requestsOf({ hash, slot, requests, units }: Item): RecordedRequests {
  return { atMs: slot * slotMs, key: hash.toString(16).padStart(8, '0'), requests, units }
}
