import { optionError } from '../errors.ts'
import { encodeKey, encodeText, type Key } from '../key.ts'
import type { Listed } from '../lists.ts'
import type { Policy } from '../policy.ts'
import type { Check, FailureChoice, Question, StoreRow } from '../store.ts'
import { chosenFor, partsOf } from '../strategies/policy-parts.ts'
import { readAmount } from '../strategies/unit.ts'
import type { PerPolicy } from './decision.ts'
import { forPolicy } from './per-policy.ts'
import { wireName } from './wire-name.ts'

/** The name of a limiter that was given none, and of the only policy of a limiter with the option `policy`. */
const usualName = 'default'

/** One of a limiter's policies, with all that does not change from call to call. */
export interface Lane {
  readonly name: string
  /** The name in header fields and problem details. */
  readonly wire: string
  /** null: chosen anew for each call. */
  readonly policy: Policy | null
  /** Limiter and policy; with the strategy's code it is the id of a state. */
  readonly stem: string
  readonly id: string
  readonly shadow: boolean
  readonly onStoreFailure: FailureChoice
  /** Leading members of a list key that choose the cluster slot. */
  readonly tag: number
}

/** A lane whose policy is always the same. */
export type PlainLane = Lane & { readonly policy: Policy }

/** The settings of a limiter that its lanes keep. */
export interface LaneSettings {
  readonly name: string
  readonly shadow: PerPolicy<string, boolean> | undefined
  readonly onStoreFailure: PerPolicy<string, FailureChoice> | undefined
  readonly tag: PerPolicy<string, number> | undefined
}

/** One call's question to a lane. */
export interface LaneCheck extends Check {
  readonly lane: Lane
  /** The key as the caller gave it. */
  readonly asked: Key
  /** The kind of request, if the caller named one as the cost. */
  readonly kind?: string
}

/** One call's question to all lanes. */
export interface LaneQuestion extends Question {
  readonly checks: readonly LaneCheck[]
}

/** A check whose key is on a list that refuses it. */
export interface ListedCheck {
  readonly check: LaneCheck
  readonly listed: Listed
}

/** The id of a policy's states. It names the unit, so that counts in different units never meet. */
function idOf(stem: string, policy: Policy): string {
  const { definition, scale } = partsOf(policy)
  const code = encodeText(definition.code) + (scale === 1 ? '' : `.${Math.log10(scale)}`)
  return stem === '' ? code : `${stem}:${code}`
}

/** Leaves out a policy's name `default`, and with it a limiter's: the number of parts tells which of the two names are there. */
function stemOf(limiter: string, policy: string): string {
  if (policy !== usualName) return `${encodeText(limiter)}:${encodeText(policy)}`
  return limiter === usualName ? '' : encodeText(limiter)
}

/** A single policy has its limiter's name; several have their own, behind the limiter's unless it is the default one. */
function wireOf(limiter: string, name: string, single: boolean): string {
  if (single) return limiter
  return limiter === usualName ? name : `${limiter}.${name}`
}

/** A limiter's lanes, in configuration order; null: the policy is chosen anew for each call. */
export function lanesOf(
  settings: LaneSettings & { readonly policies: { readonly [name: string]: Policy | null } },
): readonly Lane[] {
  const policies = Object.entries(settings.policies)
  return policies.map(([name, policy]) => laneOf(settings, { name, policy, single: policies.length === 1 }))
}

/** What a lane is made of, beside its limiter's settings, which win over `shadow`, `onStoreFailure` and `tag` here. */
export interface LaneParts {
  readonly name: string
  readonly policy: Policy | null
  /** Whether it is the limiter's only policy. @default false */
  readonly single?: boolean | undefined
  /** @default false */
  readonly shadow?: boolean | undefined
  /** @default 'local' */
  readonly onStoreFailure?: FailureChoice | undefined
  /** @default all members */
  readonly tag?: number | undefined
}

export function laneOf(settings: LaneSettings, parts: LaneParts): Lane {
  const { name, policy, shadow = false, onStoreFailure = 'local', tag = Number.POSITIVE_INFINITY } = parts
  const stem = stemOf(settings.name, name)
  return {
    name,
    wire: wireName(wireOf(settings.name, name, parts.single === true)),
    policy,
    stem,
    id: policy === null ? stem : idOf(stem, policy),
    shadow: forPolicy(settings.shadow, name, shadow),
    onStoreFailure: forPolicy(settings.onStoreFailure, name, onStoreFailure),
    tag: forPolicy(settings.tag, name, tag),
  }
}

/** What one call asks of a lane. */
export interface Ask {
  readonly key: Key
  readonly cost: number
  readonly note: string | undefined
  readonly kind?: string | undefined
  /** Other numbers for this call; the lane's own where undefined. */
  readonly policy: Policy | undefined
  /** When the key's own period began. */
  readonly since?: unknown
}

export function checkOf(
  lane: Lane,
  { key, cost, note, kind, since, policy: asked = lane.policy ?? undefined }: Ask,
): LaneCheck {
  if (asked === undefined) {
    const expected = 'a policy, while each request chooses its own: write rateLimit({ limiter, policy })'
    throw optionError(`policies.${lane.name}`, expected, asked)
  }
  // While a policy is changed, calls count by its replacement.
  const current = partsOf(asked).changing?.now ?? asked
  const policy =
    since === undefined ? current : (partsOf(current).calendar?.since?.(current, since) ?? current)
  const units = readAmount(cost, 'cost', partsOf(policy).scale)
  const isOwn = policy === lane.policy
  const check = isOwn
    ? plainCheckOf(lane, policy, key)
    : plainCheckOf(lane, chosenFor(policy, lane.policy), key, idOf(lane.stem, policy))
  check.cost = units
  if (note !== undefined) check.note = cutNote(note, policy)
  if (kind !== undefined) check.kind = kind
  return check
}

// Objects that are made for each call come from constructors, and lists from rest arguments. V8 counts how many objects of a literal
// survive a garbage collection. If nearly all of a hundred do, as in a burst right after the start, it allocates all later ones in the
// old generation, for as long as the process lives. There each keeps what it refers to alive until a full collection, and a check
// through Redis costs half as much again. V8 counts neither what a constructor makes nor rest arguments.
// For the same reason nothing that is made for a call is put into a WeakMap: what a map of some age holds survives each collection but a
// full one, and so does the key if the value refers to it.

/** A check, made by a constructor. */
class LaneCheckShape implements LaneCheck {
  declare readonly id: string
  declare readonly policy: Policy
  declare readonly key: string
  declare cost: number
  declare note: string | undefined
  declare readonly shadow: boolean
  declare readonly onStoreFailure: FailureChoice
  declare readonly lane: Lane
  declare readonly asked: Key
  declare kind?: string

  constructor(lane: Lane, policy: Policy, key: Key, id: string) {
    this.id = id
    this.policy = policy
    this.key = encodeKey(key, lane.tag)
    this.cost = 1
    this.note = undefined
    this.shadow = lane.shadow
    this.onStoreFailure = lane.onStoreFailure
    this.lane = lane
    this.asked = key
  }
}

/** A list of a call's checks, made of rest arguments. */
export function listOf(...checks: readonly LaneCheck[]): readonly LaneCheck[] {
  return checks
}

/** What most callers ask: the lane's own policy, for a cost of 1. */
export function plainCheckOf(lane: Lane, policy: Policy, key: Key, id: string = lane.id): LaneCheckShape {
  return new LaneCheckShape(lane, policy, key, id)
}

/** Whether a row's numbers may be shown to a client: not those of a shadow policy, and only if a count is behind them. */
export function isShown({ shadow }: LaneCheck, { uncounted }: StoreRow): boolean {
  return !shadow && uncounted !== true
}

/** Throws if a call has the option `since`, and none of its policies can count from such an instant. */
export function mustFollow(checks: readonly Pick<Check, 'policy'>[], since: unknown): void {
  if (since === undefined || checks.length === 0) return
  if (!checks.some(({ policy }) => partsOf(policy).calendar?.since))
    throw optionError('since', 'to be left out, as no policy here has `every`', since)
}

/**
 * Cuts a note to as many bytes of UTF-8 as the strategy keeps, never in mid-character. Half surrogate pairs are replaced, so that all
 * stores keep the same text.
 */
function cutNote(note: string, policy: Policy): string {
  if (typeof note !== 'string') throw optionError('note', 'a string', note)
  const { definition, numbers } = partsOf(policy)
  const bytes = definition.noteBytes?.(numbers) ?? 0
  if (bytes === 0) return ''
  // Each character has at least one byte, so none that fits is left out here.
  const encoded = new TextEncoder().encode(note.slice(0, bytes))
  let end = Math.min(bytes, encoded.length)
  while (end > 0 && end < encoded.length && ((encoded[end] ?? 0) & 0xc0) === 0x80) end--
  return new TextDecoder().decode(encoded.subarray(0, end))
}
