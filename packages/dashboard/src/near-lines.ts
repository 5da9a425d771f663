import { groupsOf } from '@sluice/http/internal'
import type { NearKey } from './near-key.ts'
import type { Row } from './row.ts'

interface At {
  readonly nowMs: number
  readonly lastSecond: number
  readonly seconds: number
}

/** A line of the table: one key, or several of one network with the numbers of the fullest. */
export class NearLine {
  readonly near: NearKey
  /** The key that is known longest. */
  readonly first: NearKey
  readonly count: number
  /** undefined for one key. */
  readonly network: string | undefined
  readonly share: number
  readonly numbers: {
    readonly used: number
    readonly limit: number
    readonly againInMs: number | null
    readonly blockedMs: number | null
    readonly refused: number
  }

  constructor(keys: readonly [NearKey, ...NearKey[]], { nowMs, lastSecond, seconds }: At, network?: string) {
    const shareOf = (each: NearKey) => each.usedAt(nowMs) / Math.max(1, each.limit)
    const near = keys.reduce((fullest, each) => (shareOf(each) > shareOf(fullest) ? each : fullest))
    this.near = near
    this.first = keys[0]
    this.count = keys.length
    this.network = network
    this.share = shareOf(near)
    this.numbers = {
      used: near.usedAt(nowMs),
      limit: near.limit,
      againInMs: near.againInMs(nowMs),
      blockedMs: near.blockedMs(nowMs),
      refused: keys.reduce((sum, each) => sum + each.refusedIn(lastSecond, seconds), 0),
    }
  }
}

/** The fullest first, then the most refused, because with `uniform` every visitor is full for a while; then the longest wait. */
export function nearestFirst(a: NearLine, b: NearLine): number {
  const wait = ({ numbers }: NearLine) => numbers.againInMs ?? 0
  return b.share - a.share || b.numbers.refused - a.numbers.refused || wait(b) - wait(a)
}

/** A flood from one network is one line of each policy, as in `sluice top`. */
export function grouped(near: readonly NearKey[], at: At): NearLine[] {
  const byRow = new Map<Row, NearKey[]>()
  for (const each of near) {
    const known = byRow.get(each.row)
    if (known === undefined) byRow.set(each.row, [each])
    else known.push(each)
  }
  return [...byRow.values()].flatMap((keys) => linesOf(keys, at))
}

function linesOf(keys: readonly NearKey[], at: At): NearLine[] {
  const lines: NearLine[] = []
  const alone = new Set(keys)
  for (const [network, [first, ...others]] of groupsOf(keys, nameOf)) {
    if (first === undefined) continue
    lines.push(new NearLine([first, ...others], at, network))
    for (const each of [first, ...others]) alone.delete(each)
  }
  for (const each of alone) lines.push(new NearLine([each], at))
  return lines
}

/** A key of several parts is no address. */
const nameOf = ({ key }: NearKey) => (typeof key === 'string' ? key : '')

/** What the keys of a network have in common: `203.0.113.` of 203.0.113.0/24, `2001:db8:7:` of 2001:db8:7::/48, all before the dots of a mask. */
export function withinOf(network: string): string {
  return network.replace(/•.*$|0\/\d+$|:\/\d+$/, '')
}
