import type { Act } from '@sluice/core'
import { isRecord } from '@sluice/core/internal'

const acts = [
  'block',
  'unblock',
  'reset',
  'set',
  'allow',
  'deny',
  'refuse',
  'unlist',
  'change',
  'restore',
] as const
/** An act on more policies is written without their names, which means all policies of its limiter. */
const mostPolicies = 20

/** An act, and the process that did it. */
export interface HeardAct {
  readonly act: Act
  readonly from: string
}

/** The text of an act in the log: of bounded length, and with a key that is a number as a text. */
export function textOf(act: Act, from: string): string {
  const { key, policies } = act
  const text = (member: unknown) => String(member).slice(0, 1000)
  const written = Array.isArray(key) ? key.map(text) : text(key)
  const named = policies.length > mostPolicies ? [] : policies
  return JSON.stringify({ ...act, key: written, policies: named, from })
}

/** undefined for a text that is no act: every program that may write to Redis may have written it. */
export function actOf(text: string): HeardAct | undefined {
  const data = parsed(text)
  if (!isRecord(data)) return undefined
  const { limiter, limiters, key, policies, atMs, from = '', forMs, units, to, why, by } = data
  const act = acts.find((name) => name === data.act)
  if (act === undefined || typeof limiter !== 'string' || typeof atMs !== 'number' || !isKey(key))
    return undefined
  const names = Array.isArray(policies) ? policies.map(String) : []
  return {
    from: String(from),
    act: {
      act,
      limiter,
      key,
      policies: names,
      atMs,
      ...(typeof limiters === 'number' && { limiters }),
      ...(typeof forMs === 'number' && { forMs }),
      ...(typeof units === 'number' && { units }),
      ...(typeof to === 'string' && { to }),
      ...(typeof why === 'string' && { why }),
      ...(typeof by === 'string' && { by }),
    },
  }
}

function isKey(key: unknown): key is string | string[] {
  return typeof key === 'string' || (Array.isArray(key) && key.every((member) => typeof member === 'string'))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
