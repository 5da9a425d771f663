import type { LogEntry } from '../log/entry.ts'
import { hopsIn } from './hops.ts'
import { type Role, roleOf } from './roles.ts'
import type { Trusts } from './trust.ts'

/** One field of many lines, where it holds addresses. */
export interface Column {
  readonly name: string
  readonly role: Role
  /** By the number of the line. */
  readonly hops: readonly (readonly string[] | undefined)[]
  /** Lines in which it holds an address. */
  readonly lines: number
  /** Whether an address of that line is no proxy's. */
  readonly strange: readonly boolean[]
  /** In how many lines. */
  readonly strangers: number
  /** Different addresses that stand last in it. */
  readonly distinct: number
  /** Most of its values name several addresses, as a chain of proxies does. */
  readonly chained: boolean
  /** They have about equal shares of the lines, as the nodes of something have and clients have not. */
  readonly even: boolean
  /** All its addresses have a port, as those of servers have. */
  readonly ported: boolean
}

/** The fields that hold addresses, in the order of the lines. Those of servers are left out. */
export function columnsOf(entries: readonly LogEntry[], trusts: Trusts): readonly Column[] {
  const names = new Set(entries.flatMap((entry) => entry.names()))
  const columns: Column[] = []
  for (const name of names) {
    if (roleOf(name) === 'server') continue
    const column = columnOf(name, entries, trusts)
    if (column.lines > 0) columns.push(column)
  }
  return withoutFixed(columns)
}

export function columnOf(name: string, entries: readonly LogEntry[], trusts: Trusts): Column {
  const hops: (readonly string[] | undefined)[] = []
  const strange: boolean[] = []
  const last = new Map<string, number>()
  let [lines, strangers, chains, ported] = [0, 0, 0, true]
  for (const [i, entry] of entries.entries()) {
    const value = entry.field(name)
    const found = hopsIn(value)
    hops[i] = found
    strange[i] = found?.every(trusts) === false
    if (found === undefined) continue
    lines++
    const nearest = found.at(-1) ?? ''
    last.set(nearest, (last.get(nearest) ?? 0) + 1)
    if (strange[i]) strangers++
    if (found.length > 1) chains++
    ported &&= /^(?:[\d.]+|\[.*\]):\d+$/.test(value ?? '')
  }
  const even = Math.max(...last.values()) * last.size <= lines * mostUneven
  const counts = { lines, strangers, distinct: last.size }
  return { name, role: roleOf(name), hops, strange, ...counts, even, ported, chained: chains * 2 > lines }
}

/** How many times its fair share of lines a node may have. */
const mostUneven = 3
const fewestFixed = 20

/** The public address of the server itself is the same in all lines, while others differ. */
function withoutFixed(columns: readonly Column[]): readonly Column[] {
  const most = Math.max(0, ...columns.map(({ distinct }) => distinct))
  return columns.filter(
    ({ distinct, lines, strangers }) => distinct > 1 || lines < fewestFixed || strangers === 0 || most < 3,
  )
}
