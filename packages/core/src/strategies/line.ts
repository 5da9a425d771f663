import type { LineCaller, LineOutcome } from './definition.ts'

/** How long a caller keeps its turn without asking again; a shorter lease is the bound. */
export const claimUs = 3_000_000
/** The longest wait that a refusal names, as advice: when a place becomes free is not known. */
export const longestAdviceUs = 1_000_000
/** The most units of one key that wait at once, over all processes. */
const mostUnits = 10_000
/** How many turns are looked at in one call, however many callers wait. */
const mostLookedAt = 256

/** A caller in line, until `endUs` unless it asks again. */
interface Claim {
  readonly id: string
  readonly units: number
  /** The smaller, the sooner. */
  turn: number
  endUs: number
}

/** The callers that wait for places of one key, in the order of their turns. Plain data, as some stores write it. */
export type Claims = readonly Claim[]

/** An instant is counted in steps of this, so that it fits into one number with the priority. */
const turnStepUs = 128

/** A number that is smaller for the higher priority, from -100 to 100, and then for the earlier arrival. */
function turnOf({ priority, waitedUs }: LineCaller, nowUs: number): number {
  return Math.floor((nowUs - waitedUs) / turnStepUs) - (priority + 101) * 2 ** 45
}

function bySooner(a: Claim, b: Claim): number {
  return a.turn - b.turn || (a.id < b.id ? -1 : 1)
}

export function liveClaims(claims: Claims, nowUs: number): Claims {
  return claims.every(({ endUs }) => endUs > nowUs) ? claims : claims.filter(({ endUs }) => endUs > nowUs)
}

export function unitsOf(claims: Claims): number {
  let all = 0
  for (const { units } of claims) all += units
  return all
}

/** The line without these callers. */
export function without(claims: Claims, ids: ReadonlySet<string>): Claims {
  return ids.size === 0 ? claims : claims.filter(({ id }) => !ids.has(id))
}

/**
 * The line with callers that ask, for the first time or again, and the outcome of each. A call that was long on its way makes an arrival
 * look late: of all arrivals that a caller has sent the earliest counts, and callers of one priority keep the order that the call has.
 */
export function withCallers(
  claims: Claims,
  callers: readonly LineCaller[],
  { nowUs, endUs }: { nowUs: number; endUs: number },
): { readonly line: Claims; readonly outcomes: readonly LineOutcome[] } {
  const byId = new Map(claims.map((claim) => [claim.id, claim]))
  let units = unitsOf(claims)
  const outcomes = callers.map((caller): LineOutcome => {
    const turn = turnOf(caller, nowUs)
    const known = byId.get(caller.id)
    if (known !== undefined) {
      known.turn = Math.min(known.turn, turn)
      known.endUs = endUs
      return 'waits'
    }
    if (units + caller.units > mostUnits) return 'out'
    units += caller.units
    byId.set(caller.id, { id: caller.id, units: caller.units, turn, endUs })
    return 'waits'
  })
  keepOrder(callers, byId)
  return { line: [...byId.values()].sort(bySooner), outcomes }
}

function keepOrder(callers: readonly LineCaller[], byId: ReadonlyMap<string, Claim>): void {
  const least = new Map<number, number>()
  for (let i = callers.length - 1; i >= 0; i--) {
    const { id, priority } = callers[i] ?? { id: '', priority: 0 }
    const claim = byId.get(id)
    if (claim === undefined) continue
    claim.turn = Math.min(claim.turn, least.get(priority) ?? claim.turn)
    least.set(priority, claim.turn)
  }
}

/** The callers that fit into the free units, in their order: none passes one that comes before it and does not fit. */
export function fitting(claims: Claims, freeUnits: number): Claims {
  let used = 0
  const all: Claim[] = []
  for (const claim of claims) {
    used += claim.units
    if (used > freeUnits || all.length === mostLookedAt) break
    all.push(claim)
  }
  return all
}
