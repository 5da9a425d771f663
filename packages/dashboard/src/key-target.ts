import type { Key } from '@sluice/core'
import { networkOf } from '@sluice/http'
import { canonicalAddress, networkBitsOf } from '@sluice/http/internal'
import type { Known, Limited } from './limited.ts'
import type { NearKeys } from './near-keys.ts'

/** The key that an action concerns. */
export interface KeyTarget {
  readonly limiter: Limited
  /** Undefined: the level of a tree that the path ends in. */
  readonly policy: string | undefined
  readonly key: Key
  /** Whether the user has typed it, and so knows it. */
  readonly typed: boolean
}

export interface TargetFault {
  readonly status: 400 | 404 | 409
  readonly detail: string
}

const maxMembers = 32
const unknownLimiter = { status: 404, detail: 'This limiter was not given to the dashboard.' } as const

/** The key that a request names, by the id of a key that was shown, or by limiter, policy and key. */
export function targetOf(
  body: Readonly<Record<string, unknown>>,
  { keys, known }: { readonly keys: NearKeys; readonly known: Known },
): KeyTarget | TargetFault {
  if (body.id === undefined) return typedTarget(body, known)
  if (typeof body.id !== 'string') return { status: 400, detail: 'The id of a key is a string.' }
  const near = keys.find(body.id)
  if (near === undefined) return { status: 404, detail: 'This key is no longer shown.' }
  const limiter = known.find(near.row.limiter)
  return limiter === undefined
    ? unknownLimiter
    : { limiter, policy: near.policy, key: near.key, typed: false }
}

function typedTarget(
  { limiter: name, policy = '', key }: Readonly<Record<string, unknown>>,
  known: Known,
): KeyTarget | TargetFault {
  if (typeof name !== 'string' || typeof policy !== 'string')
    return { status: 400, detail: 'Send the id of a key, or the names of a limiter and a policy with a key.' }
  if (!isKey(key))
    return {
      status: 400,
      detail: `A key is a string, or a list of 1 to ${maxMembers} strings; none may be empty.`,
    }
  const limiter = known.find(name)
  if (limiter === undefined) return unknownLimiter
  if (limiter.policies === undefined) return treeTarget(limiter, key)
  const asked = policy === '' ? 'default' : policy
  return Object.hasOwn(limiter.policies, asked)
    ? { limiter, policy: asked, key: asCounted(limiter, key), typed: true }
    : { status: 404, detail: 'This limiter has no policy of this name.' }
}

/** The key as the limiter counts it: an address as middlewares without a key function of their own count it. */
function asCounted(limiter: Limited, key: Key): Key {
  const bits = networkBitsOf(limiter)
  if (bits === undefined || typeof key !== 'string' || canonicalAddress(key) === undefined) return key
  return networkOf(key, bits)
}

function treeTarget(limiter: Limited, key: Key): KeyTarget | TargetFault {
  if (!Array.isArray(key))
    return { status: 400, detail: 'A key of this limiter is a path: a list of strings.' }
  return { limiter, policy: undefined, key, typed: true }
}

const isMember = (value: unknown): value is string => typeof value === 'string' && value !== ''

function isKey(value: unknown): value is string | readonly string[] {
  if (!Array.isArray(value)) return isMember(value)
  return value.length > 0 && value.length <= maxMembers && value.every(isMember)
}
