import type { LineCaller } from './definition.ts'

/** How long a caller keeps its turn without asking again; a shorter lease is the bound. */
export const claimUs = 3_000_000
/** Units of one key that wait at once, over all processes. */
const mostUnits = 10_000

/** A caller in line, until `endUs` unless it asks again. */
interface Claim {
  readonly id: string
  readonly units: number
  /** The smaller, the sooner. */
  readonly turn: number
  endUs: number
}

/** The callers that wait for places of one key, in the order of their turns. Plain data, as some stores write it. */
export type Claims = readonly Claim[]

/** What an instant is cut to, so that it fits into one number with the priority. */
const turnStepUs = 128

/** First the higher priority, from -100 to 100, then the earlier arrival. */
function turnOf({ priority, waitedUs }: LineCaller, nowUs: number): number {
  return Math.floor((nowUs - waitedUs) / turnStepUs) - (priority + 101) * 2 ** 45
}

function isSooner(a: Claim, b: Claim): boolean {
  return a.turn < b.turn || (a.turn === b.turn && a.id < b.id)
}

export function liveClaims(claims: Claims, nowUs: number): Claims {
  return claims.every(({ endUs }) => endUs > nowUs) ? claims : claims.filter(({ endUs }) => endUs > nowUs)
}

export function unitsOf(claims: Claims): number {
  let all = 0
  for (const { units } of claims) all += units
  return all
}

/** The line without a caller. */
export function without(claims: Claims, id: string): Claims {
  return claims.filter((claim) => claim.id !== id)
}

/** The line with a caller that asks, for the first time or again; undefined: it is full. */
export function withCaller(
  claims: Claims,
  caller: LineCaller,
  { nowUs, endUs }: { nowUs: number; endUs: number },
): Claims | undefined {
  const known = claims.find(({ id }) => id === caller.id)
  if (known !== undefined) {
    known.endUs = endUs
    return claims
  }
  if (unitsOf(claims) + caller.units > mostUnits) return undefined
  const claim = { id: caller.id, units: caller.units, turn: turnOf(caller, nowUs), endUs }
  let at = claims.length
  while (at > 0 && isSooner(claim, claims[at - 1] ?? claim)) at--
  return [...claims.slice(0, at), claim, ...claims.slice(at)]
}

/** The callers that fit into the free units, in their order: none passes one that comes before it and does not fit. */
export function served(claims: Claims, freeUnits: number): Claims {
  let used = 0
  const all: Claim[] = []
  for (const claim of claims) {
    used += claim.units
    if (used > freeUnits) break
    all.push(claim)
  }
  return all
}
