import type { Changing, Policy } from '../policy.ts'
import { InstantTexts, msUp } from '../units.ts'
import { type Blocking, countsBlocks } from './block-for.ts'
import type { AnyStrategy, Calendar, StrategyDraft } from './definition.ts'

/** The non-enumerable members of a policy. */
export interface PolicyParts {
  readonly definition: AnyStrategy
  readonly numbers: unknown
  /** The numbers as script arguments; encoded once. */
  readonly args: readonly string[]
  /** Two policies with the same value decide the same. */
  readonly value: string
  readonly inFlight: boolean
  readonly tellsCounts: boolean
  readonly countsRequests: boolean
  /** How many units are an amount of 1, as callers and options say it. */
  readonly scale: number
  /** The policy's limit in units. */
  readonly units: number
  readonly quota: number
  /** The calendar that its windows follow; undefined if they do not differ in length. */
  readonly calendar: Calendar | undefined
  /** How it blocks a key that it refuses. */
  readonly blocking: Blocking | undefined
  /** The options that it was made from; undefined where it was made from another policy. */
  readonly options: object | undefined
  /** Whether it matters how often a key has been blocked before. */
  readonly countsBlocks: boolean
  /** The numbers as they were asked for, where units are taken ahead by stricter ones. */
  readonly stated: unknown
  /** Its replacement, while it has one; undefined where it cannot be replaced. */
  readonly changing: Changing | undefined
}

/** Without `receipt` in the strategy, a take is given back only while the state is still the one it left. */
export function receiptOf(definition: AnyStrategy, state: unknown, draft: StrategyDraft): string | number {
  if (definition.give === undefined) return ''
  return definition.receipt === undefined ? JSON.stringify(state) : definition.receipt(state, draft)
}

/**
 * Puts before a receipt which count was charged (`era`; '' where nobody has to know), unless the strategy's own receipt says so. A key that
 * was reset, or set, is counted anew, and what was charged before must not be given back to the new count.
 */
export function withEra(
  { tellsCounts }: PolicyParts,
  era: string,
  receipt: string | number,
): string | number {
  if (receipt === '' || tellsCounts) return receipt
  // A strategy's own text may begin like that.
  const isMarked = era !== '' || (typeof receipt === 'string' && receipt.startsWith('@'))
  return isMarked ? `@${era}@${receipt}` : receipt
}

// The rows of a reply have one instant, and many keys a window's end in common.
const instants: InstantTexts = /* @__PURE__ */ new InstantTexts()
const receipts: InstantTexts = /* @__PURE__ */ new InstantTexts()

/** The same by the instant of the charge, on the clock of its server: the key may be reset before the receipt is used. */
export function withInstant(parts: PolicyParts, us: number, receipt: string | number): string | number {
  if (receipt === '' || parts.tellsCounts) return receipt
  return withEra(parts, instants.of(us), typeof receipt === 'number' ? receipts.of(receipt) : receipt)
}

/** The count that a receipt is of, and the strategy's own receipt; undefined without a receipt, or where that is all of it. */
export function eraOf(
  { policy }: { readonly policy: Policy },
  receipt: string | number | null,
): { readonly era: string; readonly own: string | number } | undefined {
  if (receipt === null || partsOf(policy).tellsCounts) return undefined
  if (typeof receipt !== 'string' || !receipt.startsWith('@')) return { era: '', own: receipt }
  const end = receipt.indexOf('@', 1)
  return { era: receipt.slice(1, end), own: receipt.slice(end + 1) }
}

/** The strategy and the numbers behind a policy. */
export function partsOf(policy: Policy): PolicyParts {
  return policy as Policy & PolicyParts // only makePolicy creates policies, with these members
}

/** Whether a new key has no units at first; a key that only this process does not know may have some. */
export function startsEmpty(policy: Policy): boolean {
  const { definition, numbers } = partsOf(policy)
  return definition.unused?.(numbers, 0) !== undefined
}

/** How many units are an amount of 1. Where no policy was asked, amounts are whole. */
export function scaleOf({ policy }: { readonly policy?: Policy }): number {
  return policy === undefined ? 1 : partsOf(policy).scale
}

export function isInFlight({ policy }: { readonly policy: Policy }): boolean {
  return partsOf(policy).inFlight
}

/** How long a request in flight counts without a renewal. */
export function leaseUs({ policy }: { readonly policy: Policy }): number {
  const { definition, numbers } = partsOf(policy)
  return definition.leaseUs?.(numbers) ?? Number.POSITIVE_INFINITY
}

/** The parts are not enumerable, so a policy prints as plain data. */
function makePolicy(face: Omit<Policy, 'type'>, parts: PolicyParts): Policy {
  const policy: Policy = { type: 'sluice.policy', ...face }
  for (const [name, value] of Object.entries(parts)) Object.defineProperty(policy, name, { value })
  return Object.freeze(policy)
}

export function policyOf(definition: AnyStrategy, parsed: unknown, made: MadeOf): Policy {
  const numbers = Object.freeze(parsed)
  const windowUs = definition.windowUsOf?.(numbers)
  const parts = partsWith(definition, numbers, made)
  const face = {
    strategy: definition.name,
    limit: parts.units / parts.scale,
    windowMs: windowUs === undefined ? null : msUp(windowUs),
    can: canOf(definition),
  }
  return makePolicy(face, parts)
}

/** A policy that reads the same, and is counted by stricter numbers. */
export function countedBy(policy: Policy, numbers: unknown): Policy {
  const { numbers: stated, changing } = partsOf(policy)
  return withNumbers(policy, numbers, { stated, changing })
}

/** A policy that reads the same, and is counted by other numbers. */
function withNumbers(
  policy: Policy,
  numbers: unknown,
  own: Pick<PolicyParts, 'stated' | 'changing'>,
): Policy {
  const { strategy, limit, windowMs, can } = policy
  const { definition, blocking, options, quota, scale, units } = partsOf(policy)
  const parts = partsWith(definition, Object.freeze(numbers), { blocking, options, scale })
  return makePolicy({ strategy, limit, windowMs, can }, { ...parts, quota, units, ...own })
}

/** Policies that `chosenFor` has made: by the one that a call has chosen, then by the one that it replaces. */
const chosenOf = new WeakMap<Policy, WeakMap<Policy, Policy>>()

/**
 * The policy that one call has chosen instead of the limiter's own. Readers see the same policy, but what it charges stays charged when
 * later calls have other numbers, and it shortens nothing that other numbers have charged. Returns the same object each time, as the
 * request path compares policies by identity.
 */
export function chosenFor(policy: Policy, own: Policy | null = null): Policy {
  const replaced = own ?? policy
  const known = chosenOf.get(policy)
  const found = known?.get(replaced)
  if (found !== undefined) return found
  const chosen = madeChosen(policy, replaced)
  chosenOf.set(policy, (known ?? new WeakMap<Policy, Policy>()).set(replaced, chosen))
  return chosen
}

function madeChosen(policy: Policy, replaced: Policy): Policy {
  const { definition, numbers, stated } = partsOf(policy)
  if (definition.chosen === undefined) return policy
  const usual = replaced.strategy === policy.strategy ? partsOf(replaced).numbers : numbers
  return withNumbers(policy, definition.chosen(numbers, usual), { stated, changing: undefined })
}

type MadeOf = Pick<PolicyParts, 'blocking' | 'options'> & Partial<Pick<PolicyParts, 'changing' | 'scale'>>

function partsWith(
  definition: AnyStrategy,
  numbers: unknown,
  { blocking, options, changing, scale = 1 }: MadeOf,
): PolicyParts {
  return {
    definition,
    numbers,
    args: (definition.redis?.encode(numbers) ?? []).map(String),
    value: `${definition.name} ${JSON.stringify(blocking === undefined ? numbers : [numbers, blocking])}${scale === 1 ? '' : ` unit ${1 / scale}`}`,
    inFlight: definition.inFlight === true,
    tellsCounts: definition.tellsCounts?.(numbers) === true,
    countsRequests: definition.countsRequests === true,
    scale,
    units: definition.limitOf(numbers),
    quota: (definition.quotaOf?.(numbers) ?? definition.limitOf(numbers)) / scale,
    calendar: definition.calendarOf?.(numbers),
    blocking,
    options,
    countsBlocks: blocking !== undefined && countsBlocks(blocking),
    stated: undefined,
    changing,
  }
}

function canOf({ can }: AnyStrategy): { readonly [ability: string]: true } {
  return Object.freeze(Object.fromEntries(can.map((ability) => [ability, true as const])))
}

/** How far apart requests of this cost are in the long run; 0 if the strategy has no spacing. */
export function spacingUs(policy: Policy, cost: number): number {
  const { definition, numbers } = partsOf(policy)
  return definition.spacingUs?.(numbers, cost) ?? 0
}

const horizons = new WeakMap<Policy, number>()

/** How long a used-up key of this policy takes until its full limit is available again. */
export function horizonUs(policy: Policy): number {
  const known = horizons.get(policy)
  if (known !== undefined) return known
  const { definition, numbers, calendar, units } = partsOf(policy)
  const call = { nowUs: 0, id: '', note: '' }
  const draft: StrategyDraft = definition.look(numbers, undefined, call.nowUs, units)
  const state: unknown = definition.take(undefined, draft, call)
  const longestUs = calendar === undefined ? 0 : (definition.windowUsOf?.(numbers) ?? 0)
  const us = Math.max(longestUs, definition.idleUs(numbers, state, call.nowUs))
  horizons.set(policy, us)
  return us
}
