/** `flow` parts drain each µs, and a unit has `parts` parts. */
export interface Rate {
  readonly flow: number
  readonly parts: number
}

/** What was charged at one rate: it has drained at this instant. */
export interface Charged extends Rate {
  readonly untilUs: number
}

/** What a state has beside its own charge once a policy was chosen for a call: the charge at another rate. */
export interface Mixed extends Charged {
  /** The longest that any of its charges may lie ahead. */
  readonly reachUs: number
}

/** A state as a call sees it. */
export interface Seen {
  /** When what was charged at the call's rate has drained. */
  readonly mineUs: number
  readonly other: Charged | undefined
}

export function isSameRate(a: Rate, b: Rate): boolean {
  return a.flow === b.flow && a.parts === b.parts
}

/** Tells what was charged at the call's own rate from what was charged at others. */
export function seenBy(rate: Rate, main: Charged, mixed: Mixed | undefined, nowUs: number): Seen {
  const held = mixed !== undefined && mixed.untilUs > nowUs ? mixed : undefined
  if (isSameRate(main, rate)) return { mineUs: Math.max(main.untilUs, nowUs), other: held }
  const left = main.untilUs > nowUs ? main : undefined
  if (held === undefined) return { mineUs: nowUs, other: left }
  if (isSameRate(held, rate)) return { mineUs: held.untilUs, other: left }
  return { mineUs: nowUs, other: left === undefined ? held : together(left, held, nowUs) }
}

/** Charges at two rates as one that never counts less: all of their units, until the later instant. */
function together(a: Charged, b: Charged, nowUs: number): Charged {
  const units = ((a.untilUs - nowUs) * a.flow) / a.parts + ((b.untilUs - nowUs) * b.flow) / b.parts
  const untilUs = Math.max(a.untilUs, b.untilUs)
  return { untilUs, flow: 1, parts: Math.max(1, Math.floor((untilUs - nowUs) / units)) }
}

/** How much of the other charge drains each µs, in parts of this rate's unit. */
function drainOf(other: Charged, { parts }: Rate): number {
  return (other.flow * parts) / other.parts
}

/** What the other charge takes up now, in parts of this rate's unit. */
export function otherParts(other: Charged | undefined, rate: Rate, nowUs: number): number {
  return other === undefined ? 0 : Math.ceil((other.untilUs - nowUs) * drainOf(other, rate))
}

/** How long until the call's own charge and the other one together leave `room` parts or less. */
export function mixedWaitUs(
  rate: Rate,
  { used, other, room }: { used: number; other: Charged | undefined; room: number },
  nowUs: number,
): number {
  const mineUs = (used - room) / rate.flow
  if (other === undefined) return Math.ceil(mineUs)
  const otherUs = other.untilUs - nowUs
  const drain = drainOf(other, rate)
  const emptyUs = used / rate.flow
  let waitUs = (used + otherUs * drain - room) / (rate.flow + drain)
  if (waitUs > Math.min(emptyUs, otherUs)) waitUs = emptyUs <= otherUs ? otherUs - room / drain : mineUs
  const wholeUs = Math.ceil(waitUs)
  const left = Math.max(0, used - wholeUs * rate.flow) + Math.max(0, Math.ceil((otherUs - wholeUs) * drain))
  // A quotient may have been rounded down.
  return left <= room ? wholeUs : wholeUs + 1
}

/** As it is stored; what has drained is left out. */
export function mixedOf(other: Charged | undefined, reachUs: number): Mixed {
  return other === undefined
    ? { untilUs: 0, flow: 1, parts: 1, reachUs }
    : { untilUs: other.untilUs, flow: other.flow, parts: other.parts, reachUs }
}

/** The other charge after units were given back: never more of them than it holds. */
export function otherAfter(other: Charged | undefined, units: number, nowUs: number): Charged | undefined {
  if (other === undefined || units <= 0) return other
  const untilUs = other.untilUs - Math.floor((units * other.parts) / other.flow)
  return untilUs > nowUs ? { ...other, untilUs } : undefined
}
