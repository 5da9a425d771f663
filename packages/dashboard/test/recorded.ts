import { optionError } from '@sluice/core/internal'
import type { Data, Points, RecordedEvent, SinkQuery } from '@sluice/telemetry'

/** A second on its clock, from which tests count. */
export const zero = 1_700_000_000

/** What a recorder answers, kept as plainly as can be, on a clock that is moved by hand. */
export class Recorded {
  /** Seconds since `zero`. */
  clock = 0
  readonly units: {
    readonly data: Data
    readonly limiter: string
    readonly policy: string | undefined
    readonly group: string | undefined
    readonly second: number
    readonly units: number
  }[] = []
  readonly queries: SinkQuery[] = []
  readonly kept: RecordedEvent[] = []
  fails = false
  /** Seconds that go by until it does. */
  failsAfter = 0
  maxValues = Number.POSITIVE_INFINITY

  nowMs = (): number => (zero + this.clock) * 1000

  addEvent = (event: RecordedEvent): void => {
    this.kept.push(event)
  }

  /** Fails as a query does. */
  events = async (fromMs: number): Promise<readonly RecordedEvent[]> => {
    if (this.fails) throw new Error('away')
    return this.kept.filter(({ atMs }) => atMs >= fromMs)
  }

  count(
    data: Data,
    [limiter, policy, group]: readonly [string, string?, string?],
    at: { second: number; units: number },
  ): void {
    this.units.push({ data, limiter, policy, group, second: zero + at.second, units: at.units })
  }

  query = async (query: SinkQuery): Promise<readonly Points[]> => {
    this.queries.push(query)
    if (this.fails) {
      this.clock += this.failsAfter
      throw Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:6379'), { code: 'ECONNREFUSED' })
    }
    const from = query.fromMs / 1000
    const length = query.toMs / 1000 - from
    const found = new Map<string, Points & { values: number[] }>()
    for (const { data, limiter, policy, group, second, units } of this.units) {
      if (second < from || second >= from + length) continue
      const series = `${data}:${limiter}:${policy}:${group}`
      const labels = {
        data,
        limiter,
        ...(policy !== undefined && { policy }),
        ...(group !== undefined && { group }),
      }
      const values = new Array<number>(length).fill(0)
      const points = found.get(series) ?? { series, labels, fromMs: query.fromMs, stepMs: 1000, values }
      found.set(series, points)
      points.values[second - from] = (points.values[second - from] ?? 0) + units
    }
    if (found.size * length > this.maxValues) throw optionError('query.step', 'more seconds', query.step)
    return [...found.values()]
  }
}
