import type { Points } from '@sluice/telemetry'

/** Units of one row, second by second. */
export interface RowUnits {
  readonly limiter: string
  readonly policy: string
  readonly admitted: Float64Array
  readonly refused: Float64Array
  /** The admitted and refused units that are in groups, by group. */
  readonly groups: ReadonlyMap<string, Float64Array>
}

/** The result of a query, by row and in total: the seconds from `fromSecond` on. */
export interface Tally {
  readonly fromSecond: number
  readonly seconds: number
  readonly rows: readonly RowUnits[]
  /** Each request once. */
  readonly admitted: Float64Array
  readonly refused: Float64Array
  readonly local: Float64Array
}

/** Adds up the points of a query for whole seconds, both ends included. */
export function tallyOf(points: readonly Points[], fromSecond: number, toSecond: number): Tally {
  const seconds = toSecond - fromSecond + 1
  const none = () => new Float64Array(seconds)
  const rows = new Map<string, RowUnits & { readonly groups: Map<string, Float64Array> }>()
  const totals = { admitted: none(), refused: none(), local: none() }

  function rowOf({ labels, series }: Points) {
    // Series that a recorder combines or names itself have no limiter.
    const { limiter = labels.series ?? series, policy = '' } = labels
    const name = JSON.stringify([limiter, policy])
    const row = rows.get(name) ?? { limiter, policy, admitted: none(), refused: none(), groups: new Map() }
    rows.set(name, row)
    return row
  }

  function addGroup(each: Points): void {
    const { data, group } = each.labels
    if (group === undefined || (data !== 'hits' && data !== 'denied')) return
    const { groups } = rowOf(each)
    const sum = groups.get(group) ?? none()
    groups.set(group, sum)
    add(sum, each, fromSecond)
  }

  function sumOf(each: Points): Float64Array | undefined {
    switch (each.labels.data) {
      case 'hits':
        return rowOf(each).admitted
      case 'denied':
        return rowOf(each).refused
      case 'admitted':
      case 'refused':
      case 'local':
        return totals[each.labels.data]
      default:
        return undefined
    }
  }

  for (const each of points) {
    const sum = sumOf(each)
    if (sum !== undefined) add(sum, each, fromSecond)
    addGroup(each)
  }
  return { fromSecond, seconds, rows: [...rows.values()], ...totals }
}

/** The larger number of each second: either tally may have missed some. */
export function largerOf(a: Tally, b: Tally): Tally {
  const name = ({ limiter, policy }: RowUnits) => JSON.stringify([limiter, policy])
  const rows = new Map(a.rows.map((row) => [name(row), row]))
  const raise = (to: Float64Array, by: Float64Array) => {
    for (const [i, units] of by.entries()) {
      const at = i + b.fromSecond - a.fromSecond
      if (at >= 0 && at < to.length) to[at] = Math.max(to[at] ?? 0, units)
    }
  }
  for (const row of b.rows) {
    const none = () => new Float64Array(a.seconds)
    const own = rows.get(name(row)) ?? { ...row, admitted: none(), refused: none(), groups: new Map() }
    const groups = new Map(own.groups)
    for (const [group, units] of row.groups) {
      const sum = groups.get(group) ?? none()
      groups.set(group, sum)
      raise(sum, units)
    }
    rows.set(name(row), { ...own, groups })
    raise(own.admitted, row.admitted)
    raise(own.refused, row.refused)
  }
  for (const total of ['admitted', 'refused', 'local'] as const) raise(a[total], b[total])
  return { ...a, rows: [...rows.values()] }
}

function add(sum: Float64Array, { fromMs, values }: Points, fromSecond: number): void {
  const shift = fromMs / 1000 - fromSecond
  for (const [i, units] of values.entries()) {
    const at = i + shift
    if (at >= 0 && at < sum.length) sum[at] = (sum[at] ?? 0) + units
  }
}
