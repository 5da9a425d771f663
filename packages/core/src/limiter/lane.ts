import { optionError } from '../errors.ts'
import { encodeKey, encodeText, type Key } from '../key.ts'
import type { Policy } from '../policy.ts'
import type { FailureChoice } from '../store.ts'
import { partsOf } from '../strategies/definition.ts'
import type { NamedCheck } from './decided.ts'
import { forPolicy } from './per-policy.ts'
import type { Settled } from './settings.ts'

/** One of a limiter's policies, with all that does not change from call to call. */
export interface Lane {
  readonly name: string
  /** The name in header fields and problem details. */
  readonly wire: string
  /** null: chosen anew for each call. */
  readonly policy: Policy | null
  /** Limiter and policy; the strategy's code makes it the id of a state. */
  readonly stem: string
  readonly id: string
  readonly shadow: boolean
  readonly onStoreFailure: FailureChoice
}

function idOf(stem: string, policy: Policy): string {
  const { code, name } = partsOf(policy).definition
  return `${stem}:${code ?? encodeText(name)}`
}

/** A single policy has its limiter's name; several have their own, behind the limiter's unless it is the default one. */
function wireOf(settings: Settled, name: string): string {
  if (Object.keys(settings.policies).length === 1) return settings.name
  return settings.name === 'default' ? name : `${settings.name}.${name}`
}

export function lanesOf(settings: Settled): readonly Lane[] {
  return Object.entries(settings.policies).map(([name, policy]) => {
    const stem = `${encodeText(settings.name)}:${encodeText(name)}`
    return {
      name,
      wire: wireOf(settings, name),
      policy,
      stem,
      id: policy === null ? stem : idOf(stem, policy),
      shadow: forPolicy(settings.shadow, name, false),
      onStoreFailure: forPolicy(settings.onStoreFailure, name, 'local'),
    }
  })
}

/** What one call asks of a lane. */
export interface Ask {
  readonly key: Key
  readonly cost: number
  readonly note: string | undefined
  /** Other numbers for this call; the lane's own where undefined. */
  readonly policy: Policy | undefined
}

export function checkOf(lane: Lane, { key, cost, note, policy = lane.policy ?? undefined }: Ask): NamedCheck {
  if (policy === undefined) {
    throw optionError(
      `policies.${lane.name}`,
      'a policy for this call, as this limiter chooses it anew each time',
      policy,
    )
  }
  if (!(Number.isSafeInteger(cost) && cost >= 0))
    throw optionError('cost', 'a whole number of at least 0', cost)
  const { definition, numbers } = partsOf(policy)
  return {
    id: policy === lane.policy ? lane.id : idOf(lane.stem, policy),
    policy,
    key: encodeKey(key),
    cost,
    note: note === undefined ? undefined : cutNote(note, definition.noteBytes?.(numbers) ?? 0),
    shadow: lane.shadow,
    onStoreFailure: lane.onStoreFailure,
    name: lane.name,
    wire: lane.wire,
    asked: key,
  }
}

/** At most so many bytes of UTF-8, never cut in mid-character; what UTF-8 cannot say is replaced, so that all stores keep the same. */
function cutNote(note: string, bytes: number): string {
  if (typeof note !== 'string') throw optionError('note', 'a text', note)
  if (bytes === 0) return ''
  const encoded = Buffer.from(note, 'utf8')
  let end = Math.min(bytes, encoded.length)
  while (end > 0 && end < encoded.length && ((encoded[end] ?? 0) & 0xc0) === 0x80) end--
  return encoded.toString('utf8', 0, end)
}
