import { type Group, writeGroups } from './batch.ts'
import type { RecordingServer } from './recording-server.ts'
import { safeLabel } from './safe-label.ts'
import type { Points, Sample, Sink, SinkQuery } from './sink.ts'
import { allData, Buckets, byName, checkRoom, isAskedFor, readQuery, type Span } from './span.ts'
import {
  pairsOf,
  type Ranged,
  readLabels,
  readNames,
  readRanges,
  readSamples,
} from './time-series-replies.ts'

/** Bytes of a series' first chunk: with the default of 4096 a quiet series takes five times as much in total. */
const chunkBytes = 128

/** Keeps counts in Redis TimeSeries: one sample per series and whole second, to which all processes add. */
export class TimeSeriesSink implements Sink {
  readonly name = 'redis'
  readonly #server: RecordingServer
  readonly #retentionMs: number

  constructor(server: RecordingServer, retentionMs: number) {
    this.#server = server
    this.#retentionMs = retentionMs
  }

  nowMs(): Promise<number> {
    return this.#server.nowMs()
  }

  async write(batch: readonly Sample[]): Promise<void> {
    const known = new Set<string>()
    const each = (sound: readonly Sample[]) => sound.map((sample): Group => [sample])
    const { name: sink } = this
    const { deadlineMs } = this.#server
    await writeGroups(batch, each, { sink, deadlineMs, write: ([sample]) => this.#add(sample, known) })
  }

  /** `known`: the series to which this batch has added before. */
  async #add(sample: Sample, known: Set<string>): Promise<void> {
    const key = this.#key(sample.series)
    const added = this.#server.send('TS.ADD', this.#wordsOf(key, sample), key)
    if (known.has(key)) {
      await added
      return
    }
    known.add(key)
    // A retention drops samples when new ones come, but never deletes a series: the expiry does.
    await Promise.all([added, this.#server.send('PEXPIRE', [key, this.#retentionMs], key)])
  }

  async query(query: SinkQuery): Promise<readonly Points[]> {
    const span = readQuery(query)
    const ranges = span.series === undefined ? await this.#all(span) : await this.#one(span, span.series)
    return byName(ranges.flatMap((range) => this.#pointsOf(range, span)))
  }

  /** By the series' own duplicate policy a second has one value, so each command has ON_DUPLICATE SUM. */
  #wordsOf(key: string, { second, units, labels }: Sample): readonly (string | number)[] {
    const settings = ['RETENTION', this.#retentionMs, 'CHUNK_SIZE', chunkBytes, 'ON_DUPLICATE', 'SUM']
    const pairs = Object.entries(labels).flatMap(([name, value]) => [safeLabel(name), safeLabel(value)])
    return [key, second * 1000, units, ...settings, 'LABELS', ...pairs]
  }

  /** Reads one series. TS.RANGE returns no labels, so TS.INFO is asked too. */
  async #one(span: Span, series: string): Promise<readonly Ranged[]> {
    const key = this.#key(series)
    try {
      const [info, samples] = await Promise.all([
        this.#server.send('TS.INFO', [key], key),
        this.#server.send('TS.RANGE', [key, ...this.#rangeOf(span), ...aggregationOf(span)], key),
      ])
      const [, labels] = pairsOf(info).find(([name]) => name === 'labels') ?? []
      return [{ key, labels: readLabels(labels), samples: readSamples(samples) }]
    } catch (error) {
      if (error instanceof Error && error.message.includes('TSDB: the key does not exist')) return []
      throw error
    }
  }

  /** Asks for the number of series first, because a server is blocked while it collects them. */
  async #all(span: Span): Promise<readonly Ranged[]> {
    const filter = `data=${span.data ?? `(${allData.join(',')})`}`
    const names = await this.#server.sendToAll('TS.QUERYINDEX', [filter])
    const keys = new Set(names.flatMap(readNames).filter((key) => this.#isOurs(key)))
    checkRoom(span, keys.size)
    if (keys.size === 0) return []
    const options = ['WITHLABELS', ...aggregationOf(span), 'FILTER', filter]
    const replies = await this.#server.sendToAll('TS.MRANGE', [...this.#rangeOf(span), ...options])
    // After timeseries.REFRESHCLUSTER each server answers for all, so that series come several times.
    const byKey = new Map(replies.flatMap(readRanges).map((range) => [range.key, range]))
    return [...byKey.values()].filter(({ key }) => this.#isOurs(key))
  }

  #pointsOf({ key, labels, samples }: Ranged, span: Span): readonly Points[] {
    const series = key.slice(this.#key('').length)
    if (!isAskedFor(span, series, labels)) return []
    const buckets = new Buckets(span)
    for (const { atMs, units } of samples) buckets.add(atMs / 1000, units)
    return buckets.points(series, labels)
  }

  #rangeOf({ fromSecond, toSecond }: Span): readonly number[] {
    return [fromSecond * 1000, toSecond * 1000 - 1]
  }

  #key(series: string): string {
    return this.#server.key(`ts:${series}`)
  }

  #isOurs(key: string): boolean {
    return key.startsWith(this.#key(''))
  }
}

function aggregationOf({ stepSeconds }: Span): readonly (string | number)[] {
  return ['AGGREGATION', 'SUM', stepSeconds * 1000]
}
