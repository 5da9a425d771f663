import type { LogEntry } from '../log/entry.ts'
import { hopsIn } from './hops.ts'
import { type Role, roleOf } from './roles.ts'
import type { Trusts } from './trust.ts'

/** One field of many lines, where it holds addresses. */
export interface Column {
  readonly name: string
  readonly role: Role
  /** The addresses of each line, by its number. */
  readonly hops: readonly (readonly string[] | undefined)[]
  /** How many lines have an address in the field. */
  readonly lines: number
  /** For each line, whether an address of it is no proxy's. */
  readonly strange: readonly boolean[]
  /** How many lines have such an address. */
  readonly strangers: number
  /** How many different addresses stand last in the field. */
  readonly distinct: number
  /** Whether most values name several addresses, as a chain of proxies does. */
  readonly chained: boolean
  /** Whether the addresses have about equal shares of the lines, as the nodes of something have and clients have not. */
  readonly even: boolean
  /** Whether all addresses have a port, as those of servers have. */
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

/** The most lines that a node may have, as a multiple of its fair share. */
const mostUneven = 3
const fewestFixed = 20

/** Leaves out the public address of the server itself, which is the same in all lines, while others differ. */
function withoutFixed(columns: readonly Column[]): readonly Column[] {
  const most = Math.max(0, ...columns.map(({ distinct }) => distinct))
  return columns.filter(
    ({ distinct, lines, strangers }) => distinct > 1 || lines < fewestFixed || strangers === 0 || most < 3,
  )
}
