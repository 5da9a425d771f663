import type { Reply } from '@sluice/faults/outage'

interface Series {
  readonly retentionMs: number
  readonly labels: readonly (readonly [name: string, value: string])[]
  readonly samples: Map<number, number>
}

/** What a command is refused with. */
class Refused extends Error {}

const couldNotParse = "ERR TSDB: Couldn't parse LABELS"
const blocked =
  'ERR TSDB: Error at upsert, update is not supported when DUPLICATE_POLICY is set to BLOCK mode'
const missing = 'ERR TSDB: the key does not exist'

/**
 * What the module TimeSeries 1.12.6 answered to the commands that are sent to it here, errors and all. It knows no more: a command of
 * another form is an error that the module would not give.
 */
export class TimeSeriesModule {
  readonly #series = new Map<string, Series>()

  get keys(): readonly string[] {
    return [...this.#series.keys()]
  }

  run([command = '', ...args]: readonly string[]): Reply {
    try {
      switch (command.toUpperCase()) {
        case 'TS.ADD':
          return this.#add(args)
        case 'TS.RANGE':
          return this.#range(args)
        case 'TS.MRANGE':
          return this.#ranges(args)
        case 'TS.QUERYINDEX':
          return { set: this.#matching(args).map(([key]) => key) }
        case 'TS.INFO':
          return this.#info(args)
        case 'TS.GET':
          return this.#find(args[0]).samples.size === 0 ? [] : { error: 'ERR a reply that is not known here' }
        default:
          return { error: `ERR unknown command '${command}', with args beginning with: '${args[0]}'` }
      }
    } catch (error) {
      if (error instanceof Refused) return { error: error.message }
      throw error
    }
  }

  #find(key: string | undefined): Series {
    const series = this.#series.get(key ?? '')
    if (series === undefined) throw new Refused(missing)
    return series
  }

  /** Only in the order of the documentation, and LABELS at the end. */
  #add(args: readonly string[]): Reply {
    const [key = '', at = '', value = '', ...options] = args
    if (!/^\d+$/.test(at)) throw new Refused('ERR TSDB: invalid timestamp')
    if (!Number.isFinite(Number(value))) throw new Refused('ERR TSDB: invalid value')
    const labelsAt = options.indexOf('LABELS')
    const settings = pairUp(labelsAt < 0 ? options : options.slice(0, labelsAt))
    const labels = pairUp(labelsAt < 0 ? [] : options.slice(labelsAt + 1))
    if (labels.some(([, label]) => label === '' || /[(),]/.test(label))) throw new Refused(couldNotParse)
    const { RETENTION = '0', CHUNK_SIZE = '4096', ON_DUPLICATE, ...others } = Object.fromEntries(settings)
    if (Object.keys(others).length > 0 || Number(CHUNK_SIZE) % 8 !== 0)
      throw new Refused('ERR TSDB: wrong options')
    const series = this.#series.get(key) ?? { retentionMs: Number(RETENTION), labels, samples: new Map() }
    const newest = Math.max(...series.samples.keys())
    if (series.retentionMs > 0 && Number(at) < newest - series.retentionMs) {
      throw new Refused('ERR TSDB: Timestamp is older than retention')
    }
    const old = series.samples.get(Number(at))
    // A series that TS.ADD has made forbids a second value, whatever its first command said.
    if (old !== undefined && ON_DUPLICATE !== 'SUM') throw new Refused(blocked)
    series.samples.set(Number(at), (old ?? 0) + Number(value))
    this.#series.set(key, series)
    return Number(at)
  }

  #range([key, from, to, ...options]: readonly string[]): Reply {
    return sums(this.#find(key), { from, to, bucketMs: readAggregation(options) })
  }

  #ranges([from, to, ...rest]: readonly string[]): Reply {
    const filterAt = rest.indexOf('FILTER')
    if (filterAt < 0) throw new Refused('ERR wrong number of arguments for TS.MRANGE')
    const withLabels = rest[0] === 'WITHLABELS'
    const bucketMs = readAggregation(rest.slice(withLabels ? 1 : 0, filterAt))
    const found = this.#matching(rest.slice(filterAt + 1)).map(([key, series]) => {
      const labels: Reply = { map: withLabels ? series.labels : [], as: 'pairs' }
      return { key, labels, samples: sums(series, { from, to, bucketMs }) }
    })
    const aggregators: Reply = { map: [['aggregators', ['sum']]], as: 'flat' }
    return {
      resp2: found.map(({ key, labels, samples }) => [key, labels, samples]),
      resp3: {
        map: found.map(({ key, labels, samples }) => [key, [labels, aggregators, samples]]),
        as: 'flat',
      },
    }
  }

  #matching(filters: readonly string[]): readonly (readonly [string, Series])[] {
    const tests = filters.map(readFilter)
    if (!tests.some(({ equal }) => equal)) throw new Refused('ERR TSDB: please provide at least one matcher')
    return [...this.#series].filter(([, { labels }]) =>
      tests.every(({ label, values, equal }) => {
        const value = labels.find(([name]) => name === label)?.[1]
        return equal === (value !== undefined && values.includes(value))
      }),
    )
  }

  #info([key]: readonly string[]): Reply {
    const { samples, retentionMs, labels } = this.#find(key)
    return {
      as: 'flat',
      map: [
        ['totalSamples', samples.size],
        ['retentionTime', retentionMs],
        ['duplicatePolicy', null],
        ['labels', { map: labels, as: 'pairs' }],
        ['sourceKey', null],
      ],
    }
  }
}

function pairUp(words: readonly string[]): readonly (readonly [string, string])[] {
  if (words.length % 2 === 1) throw new Refused(couldNotParse)
  return words.flatMap((word, i) => (i % 2 === 0 ? [[word, words[i + 1] ?? ''] as const] : []))
}

/** Whatever else stands before FILTER, or behind it, is not parsed there. */
function readAggregation(options: readonly string[]): number {
  const [word, kind, ms, ...others] = options
  if (word !== 'AGGREGATION' || kind?.toUpperCase() !== 'SUM' || others.length > 0) {
    throw new Refused('ERR TSDB: failed parsing')
  }
  return Number(ms)
}

function readFilter(filter: string): { label: string; values: readonly string[]; equal: boolean } {
  const [, label = '', sign, list, value] = /^([^=!]+)(!?=)(?:\((.*)\)|(.*))$/.exec(filter) ?? []
  if (sign === undefined) throw new Refused('ERR TSDB: failed parsing labels')
  return { label, values: list?.split(',') ?? [value ?? ''], equal: sign === '=' }
}

interface Range {
  readonly from: string | undefined
  readonly to: string | undefined
  readonly bucketMs: number
}

/** Buckets are aligned to multiples of their length; those without a sample are left out. */
function sums({ samples }: Series, { from, to, bucketMs }: Range): readonly Reply[] {
  const least = from === '-' ? 0 : Number(from)
  const most = to === '+' ? Number.POSITIVE_INFINITY : Number(to)
  const buckets = new Map<number, number>()
  for (const [atMs, units] of [...samples].sort(([a], [b]) => a - b)) {
    if (atMs < least || atMs > most) continue
    const bucket = atMs - (atMs % bucketMs)
    buckets.set(bucket, (buckets.get(bucket) ?? 0) + units)
  }
  return [...buckets].map(([atMs, units]) => [atMs, { double: units }])
}
