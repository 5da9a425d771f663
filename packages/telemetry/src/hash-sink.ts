import { inRedis, optionError } from '@sluice/core/internal'
import { type Group, writeGroups } from './batch.ts'
import { HashIndex, type Named } from './hash-index.ts'
import { addLua } from './lua.generated.ts'
import type { RecordingServer } from './recording-server.ts'
import type { Points, Sample, Sink, SinkQuery } from './sink.ts'
import { sliceOf, sliceSeconds } from './slice.ts'
import { Buckets, byName, checkRoom, isAskedFor, readQuery, type Span } from './span.ts'

const addScript: inRedis.Script = inRedis.scriptOf(addLua)
/** The most hashes that one query reads. */
const maxSlices = 20_000
/** The most hashes read at once, so that the server can serve other clients in between. */
const portion = 200

/** Keeps counts in plain Redis: a hash per series and slice of time, with a field per second, named by its offset in the slice. */
export class HashSink implements Sink {
  readonly name = 'redis'
  readonly #server: RecordingServer
  readonly #retentionSeconds: number
  readonly #index: HashIndex

  constructor(server: RecordingServer, retentionMs: number) {
    this.#server = server
    this.#retentionSeconds = Math.ceil(retentionMs / 1000)
    this.#index = new HashIndex(server, this.#retentionSeconds)
  }

  nowMs(): Promise<number> {
    return this.#server.nowMs()
  }

  async write(batch: readonly Sample[]): Promise<void> {
    const groupsOf = (sound: readonly Sample[]) => this.#byHash(sound)
    const { name: sink } = this
    const { deadlineMs } = this.#server
    const write = (group: Group) => this.#add(group)
    // Written samples must be found even if others were not written.
    const written = writeGroups(batch, groupsOf, { sink, deadlineMs, write })
    const results = await Promise.allSettled([written, this.#index.note(batch)])
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }

  async query(query: SinkQuery): Promise<readonly Points[]> {
    const span = readQuery(query)
    const all = await this.#index.read()
    const asked = all.filter(({ series, labels }) => isAskedFor(span, series, labels))
    checkRoom(span, asked.length)
    const slices = this.#slicesOf(span, await this.nowMs())
    checkSlices(asked.length, slices.length, query.fromMs)
    const found = await this.#readAll(asked, slices, span)
    return byName(found)
  }

  /** Groups samples by hash: each hash is written once, however many of its seconds come at once. */
  #byHash(samples: readonly Sample[]): readonly Group[] {
    const groups = new Map<string, [Sample, ...Sample[]]>()
    for (const sample of samples) {
      const key = this.#key(sample.series, sliceOf(sample.second))
      const group = groups.get(key)
      if (group === undefined) groups.set(key, [sample])
      else group.push(sample)
    }
    return [...groups.values()]
  }

  #add(group: Group): Promise<unknown> {
    const [{ series, second }] = group
    const slice = sliceOf(second)
    const endMs = (slice + sliceSeconds + this.#retentionSeconds) * 1000
    const counts = group.flatMap((sample) => [sample.second - slice, sample.units])
    return this.#server.run(addScript, this.#key(series, slice), [endMs, ...counts])
  }

  #key(series: string, slice: number): string {
    return this.#server.key(`recorded:${series}:${slice}`)
  }

  /** The slices of the span that can exist. */
  #slicesOf({ fromSecond, toSecond }: Span, nowMs: number): readonly number[] {
    const nowSecond = Math.floor(nowMs / 1000)
    const first = sliceOf(Math.max(0, fromSecond, nowSecond - this.#retentionSeconds - sliceSeconds))
    const end = Math.min(toSecond, nowSecond + sliceSeconds)
    const count = Math.max(0, Math.ceil((end - first) / sliceSeconds))
    return Array.from({ length: count }, (_, i) => first + i * sliceSeconds)
  }

  async #readAll(asked: readonly Named[], slices: readonly number[], span: Span): Promise<readonly Points[]> {
    const buckets = asked.map(() => new Buckets(span))
    const reads = asked.flatMap(({ series }, i) =>
      slices.map((slice) => ({ series, slice, into: buckets[i] })),
    )
    for (let from = 0; from < reads.length; from += portion) {
      await Promise.all(
        reads.slice(from, from + portion).map(async ({ series, slice, into }) => {
          const key = this.#key(series, slice)
          for (const [place, units] of fieldsOf(await this.#server.send('HGETALL', [key], key))) {
            into?.add(slice + place, units)
          }
        }),
      )
    }
    return asked.flatMap(({ series, labels }, i) => buckets[i]?.points(series, labels) ?? [])
  }
}

function checkSlices(series: number, slices: number, fromMs: number): void {
  if (series * slices <= maxSlices) return
  const seconds = Math.floor(maxSlices / series) * sliceSeconds
  throw optionError('query.fromMs', `at most ${seconds} s before toMs for ${series} series`, fromMs)
}

/** Reads a hash: in RESP2 a list of alternating names and values, in RESP3 a map. */
function fieldsOf(reply: unknown): readonly (readonly [number, number])[] {
  if (!Array.isArray(reply)) {
    return Object.entries(reply ?? {}).map(([name, value]) => [Number(name), Number(value)])
  }
  return reply.flatMap((name, i) => (i % 2 === 0 ? [[Number(name), Number(reply[i + 1])] as const] : []))
}
