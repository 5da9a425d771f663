import type { Act } from '@sluice/core'
import type {
  DescribedLimiter,
  DescribedPolicy,
  RunningProcess,
  SeenKey,
  SeenPolicy,
} from '@sluice/operations'
import { oneLine } from '../one-line.ts'
import { actRow } from './acts.ts'
import { amountText } from './amount.ts'
import { byNetwork } from './by-network.ts'
import { keyText } from './keys.ts'
import { count } from './session.ts'
import { columns, lineWidth } from './table.ts'
import { clockText } from './times.ts'

const mostRows = 15
const mostKeys = 5

/** One policy over all processes. */
interface Sum {
  readonly limiter: string
  readonly name: string
  /** During a deployment processes may have several. */
  readonly rules: Set<string>
  admitted: number
  refused: number
  readonly top: Map<string, number>
  readonly near: Map<string, SeenKey>
}

/** The lines that `sluice top` shows. */
export function topLines(
  processes: readonly RunningProcess[],
  acts: readonly Act[],
  width: number = lineWidth(),
): readonly string[] {
  if (processes.length === 0) return ['No process has written here within the last 15 s.']
  const sums = sumsOf(processes)
  const away = new Set(processes.flatMap(({ seen }) => seen?.away ?? []))
  const cut = processes.reduce((sum, each) => sum + each.cut + (each.seen?.cut ?? 0), 0)
  const limiters = new Set(sums.map(({ limiter }) => limiter)).size
  return [
    `${count(processes)}, ${limiters === 1 ? '1 limiter' : `${limiters} limiters`}, ${clockText(Date.now())}`,
    ...(away.size === 0 ? [] : [`Redis is away for: ${[...away].slice(0, 5).map(oneLine).join(', ')}`]),
    ...(cut === 0 ? [] : [`${cut} limiters or policies did not fit and are not shown`]),
    '',
    ...policyLines(sums, width),
    ...keyLines(sums, width),
    ...(acts.length === 0
      ? []
      : ['', ...columns(['DONE BY HAND', 'WHAT', 'KEY', 'LIMITER', 'BY', 'WHY'], acts.map(actRow), width)]),
  ]
}

function policyLines(sums: readonly Sum[], width: number): readonly string[] {
  const rows = sums
    .slice(0, mostRows)
    .map(({ name, rules, admitted, refused }) => [
      name,
      [...rules].join(' or '),
      rate(admitted),
      rate(refused),
    ])
  const more = sums.length - rows.length
  const lines = columns(['POLICY', 'RULE', 'ADMITTED/S', 'REFUSED/S'], rows, width)
  return more > 0 ? [...lines, `and ${more} more`] : lines
}

function keyLines(sums: readonly Sum[], width: number): readonly string[] {
  const refused = sums.flatMap(({ name, top }) =>
    [...byNetwork(top)].map(([key, times]) => ({ key, name, times })),
  )
  const most = refused.sort((a, b) => b.times - a.times).slice(0, mostKeys)
  const near = sums.flatMap(({ name, near }) => [...near].map(([key, seen]) => ({ key, name, seen })))
  const nearest = near.sort((a, b) => shareOf(b.seen) - shareOf(a.seen)).slice(0, mostKeys)
  const refusedRows = most.map(({ key, name, times }) => [key, name, amountText(times)])
  const nearRows = nearest.map(({ key, name, seen }) => [
    key,
    name,
    amountText(seen.used ?? 0),
    amountText(seen.limit ?? 0),
  ])
  return [
    ...(most.length === 0
      ? []
      : ['', ...columns(['REFUSED MOST', 'POLICY', 'TIMES LATELY'], refusedRows, width)]),
    ...(nearest.length === 0
      ? []
      : ['', ...columns(['NEAR THEIR LIMIT', 'POLICY', 'USED', 'LIMIT'], nearRows, width)]),
  ]
}

/** The sums of all policies, those with the most refusals first. */
function sumsOf(processes: readonly RunningProcess[]): readonly Sum[] {
  const sums = new Map<string, Sum>()
  for (const { limiters } of processes) for (const limiter of limiters) addLimiter(sums, limiter)
  for (const { seen } of processes)
    for (const policy of seen?.policies ?? []) addSeen(sums, policy, Math.max(1, seen?.overMs ?? 0))
  return [...sums.values()].sort((a, b) => b.refused - a.refused || b.admitted - a.admitted)
}

function addLimiter(sums: Map<string, Sum>, { name, policies }: DescribedLimiter): void {
  if (policies === null) return
  for (const policy of policies) {
    const shown = policies.length === 1 ? name : `${name}.${policy.name}`
    sumOf(sums, { limiter: name, policy: policy.name }, shown).rules.add(ruleOf(policy))
  }
}

function ruleOf({ rule, own, shadow }: DescribedPolicy): string {
  const changed = own === undefined ? rule : `${rule} (its own: ${own})`
  return shadow === true ? `${changed}, in shadow mode` : changed
}

function addSeen(sums: Map<string, Sum>, seen: SeenPolicy, overMs: number): void {
  const sum = sumOf(sums, seen, `${seen.limiter}.${seen.policy}`)
  sum.admitted += (seen.admitted * 1000) / overMs
  sum.refused += (seen.refused * 1000) / overMs
  for (const { key, refused = 0 } of seen.top)
    sum.top.set(keyText(key), (sum.top.get(keyText(key)) ?? 0) + refused)
  for (const near of seen.near) {
    const known = sum.near.get(keyText(near.key))
    if (known === undefined || shareOf(near) > shareOf(known)) sum.near.set(keyText(near.key), near)
  }
}

function sumOf(
  sums: Map<string, Sum>,
  { limiter, policy }: { limiter: string; policy: string },
  name: string,
): Sum {
  const id = JSON.stringify([limiter, policy])
  const known = sums.get(id)
  if (known !== undefined) return known
  const sum: Sum = {
    limiter,
    name,
    rules: new Set(),
    admitted: 0,
    refused: 0,
    top: new Map(),
    near: new Map(),
  }
  sums.set(id, sum)
  return sum
}

function shareOf({ used = 0, limit = 0 }: SeenKey): number {
  return limit === 0 ? 1 : used / limit
}

function rate(perSecond: number): string {
  return perSecond === 0 ? '0' : perSecond.toFixed(1)
}
