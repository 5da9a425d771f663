import type { StrategyDraft } from './definition.ts'

/** `flow` parts drain each µs, and a unit has `parts` parts. */
export interface Rate {
  readonly flow: number
  readonly parts: number
}

/** A charge at one rate, which has drained at `untilUs`. */
export interface Charged extends Rate {
  readonly untilUs: number
}

/** What a state has beside its own charge once a policy was chosen for a call: the charges at other rates, the latest to drain first. */
export interface Mixed {
  readonly others: readonly Charged[]
  /** The longest that any of its charges may lie ahead. */
  readonly reachUs: number
}

/** A state as a call sees it. */
export interface Seen {
  /** When what was charged at the call's rate has drained. */
  readonly mineUs: number
  readonly others: readonly Charged[]
}

/** The most other charges that a state keeps. Beyond it two become one. */
const mostOthers = 8

export function isSameRate(a: Rate, b: Rate): boolean {
  return a.flow === b.flow && a.parts === b.parts
}

/** Separates the charge at the call's own rate from those at other rates. */
export function seenBy(rate: Rate, main: Charged, mixed: Mixed | undefined, nowUs: number): Seen {
  let mineUs = nowUs
  const others: Charged[] = []
  for (const each of [main, ...(mixed?.others ?? [])]) {
    if (each.untilUs <= nowUs) continue
    if (isSameRate(each, rate)) mineUs = each.untilUs
    else insert(others, each)
  }
  const [last, before] = [others[mostOthers], others[mostOthers - 1]]
  if (last !== undefined && before !== undefined)
    others.splice(mostOthers - 1, 2, together(before, last, nowUs))
  return { mineUs, others }
}

/** Inserts a charge behind those that drain later. */
function insert(others: Charged[], charged: Charged): void {
  let at = others.length
  while (at > 0 && (others[at - 1]?.untilUs ?? 0) < charged.untilUs) at--
  others.splice(at, 0, charged)
}

/** Joins charges at two rates to one that never counts less: all of their units, until the later instant. */
function together(later: Charged, sooner: Charged, nowUs: number): Charged {
  const units = unitsOf(later, nowUs) + unitsOf(sooner, nowUs)
  const { untilUs } = later
  return { untilUs, flow: 1, parts: Math.max(1, Math.floor((untilUs - nowUs) / units)) }
}

function unitsOf({ untilUs, flow, parts }: Charged, nowUs: number): number {
  return ((untilUs - nowUs) * flow) / parts
}

/** How much of another charge drains each µs, in parts of this rate's unit. */
function drainOf(other: Charged, { parts }: Rate): number {
  return (other.flow * parts) / other.parts
}

/** What the other charges take up at `nowUs`, in parts of this rate's unit. */
export function otherParts(others: readonly Charged[], rate: Rate, nowUs: number): number {
  let sum = 0
  for (const other of others) sum += Math.max(0, Math.ceil((other.untilUs - nowUs) * drainOf(other, rate)))
  return sum
}

interface Wanted {
  readonly used: number
  readonly others: readonly Charged[]
  readonly room: number
}

/** What a call meets of charges at several rates. */
interface MixedLook extends Omit<StrategyDraft, 'limit'> {
  /** Parts that are used at the call's own rate after a take. */
  readonly used: number
}

/**
 * Looks at charges at several rates: each drains at its own, and together they take up the capacity, of `full` parts. A take whatever the
 * limit says leaves at most `most` parts used.
 */
export function lookAtRates(
  rate: Rate,
  { used, others }: Pick<Wanted, 'used' | 'others'>,
  { cost, nowUs, full, most }: { cost: number; nowUs: number; full: number; most: number },
): MixedLook {
  const added = cost * rate.parts
  const room = full - used - otherParts(others, rate, nowUs)
  const allowed = added <= room || cost === 0
  const wanted = { used, others, room: full - added }
  const retryAfterUs = allowed ? 0 : added > full ? null : mixedWaitUs(rate, wanted, nowUs)
  // A caller that reserves passes when the wait is over, and is charged from then on.
  const from = others.length === 0 ? used : Math.max(used, (retryAfterUs ?? 0) * rate.flow)
  const drainingUs = Math.ceil((allowed ? used + added : used) / rate.flow)
  return {
    allowed,
    remaining: Math.max(0, Math.floor((allowed ? room - added : room) / rate.parts)),
    retryAfterUs,
    resetAfterUs: Math.max(drainingUs, lastUs({ others }) - nowUs),
    used: allowed ? used + added : Math.max(used, Math.min(from + added, most)),
  }
}

/** How long until the call's own charge and the other ones together take up `room` parts or less. */
function mixedWaitUs(rate: Rate, wanted: Wanted, nowUs: number): number {
  const { used, others, room } = wanted
  if (others.length === 0) return Math.ceil((used - room) / rate.flow)
  const fits = (waitUs: number) =>
    Math.max(0, used - waitUs * rate.flow) + otherParts(others, rate, nowUs + waitUs) <= room
  let waitUs = Math.max(0, Math.ceil(aboutUs(rate, wanted, nowUs)))
  // The estimate is not exact: quotients were rounded, and each of the other charges counts in whole parts.
  while (!fits(waitUs)) waitUs++
  while (waitUs > 0 && fits(waitUs - 1)) waitUs--
  return waitUs
}

/** The same, not yet in whole numbers: from one charge's end to the next, the used parts fall evenly. */
function aboutUs(rate: Rate, { used, others, room }: Wanted, nowUs: number): number {
  const lefts = [used / rate.flow, ...others.map(({ untilUs }) => untilUs - nowUs)]
  const drains = [rate.flow, ...others.map((other) => drainOf(other, rate))]
  let fromUs = 0
  for (;;) {
    let endUs = Number.POSITIVE_INFINITY
    let drain = 0
    for (const [i, leftUs] of lefts.entries()) {
      if (leftUs <= fromUs) continue
      endUs = Math.min(endUs, leftUs)
      drain += drains[i] ?? 0
    }
    if (drain === 0) return fromUs
    let usedThen = 0
    for (const [i, leftUs] of lefts.entries()) usedThen += Math.max(0, leftUs - endUs) * (drains[i] ?? 0)
    if (usedThen <= room) return endUs - (room - usedThen) / drain
    fromUs = endUs
  }
}

/** When the last of the other charges has drained. */
export function lastUs(mixed: Pick<Mixed, 'others'> | undefined): number {
  return mixed?.others[0]?.untilUs ?? 0
}

/** The other charges after units were given back, first those of the latest to drain; never more units than they hold. */
export function othersAfter(others: readonly Charged[], units: number, nowUs: number): readonly Charged[] {
  const kept: Charged[] = []
  let rest = units
  for (const other of others) {
    const untilUs = other.untilUs - Math.floor((Math.max(0, rest) * other.parts) / other.flow)
    rest -= Math.ceil(unitsOf(other, nowUs))
    if (untilUs > nowUs) insert(kept, { ...other, untilUs })
  }
  return kept
}

/** The other charges after a step back of the clock: none lies further ahead than `furthestUs`. */
export function othersUntil(mixed: Mixed, furthestUs: number): Mixed {
  const others = mixed.others.map((each) => ({ ...each, untilUs: Math.min(each.untilUs, furthestUs) }))
  return { ...mixed, others }
}
