import { type StoreError, storeError } from '../errors.ts'
import type { Reason } from '../store.ts'

/** For a reply that no script of ours gives: the server is another program, or something between has mixed up its replies. */
export function malformed(): StoreError {
  return storeError('redis', 'the store gave a malformed reply')
}

export function listOf(reply: unknown): readonly unknown[] {
  if (Array.isArray(reply)) return reply
  throw malformed()
}

/** An integer of a reply, at least `least`; a client may be set to return it as a text. */
export function integerOf(value: unknown, least = 0): number {
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value
  if (typeof number === 'number' && Number.isInteger(number) && number >= least) return number
  throw malformed()
}

/** The server's time in µs, as TIME answers it. */
export function timeOf(reply: unknown): number {
  const [seconds, us] = listOf(reply)
  return integerOf(seconds) * 1_000_000 + integerOf(us)
}

/** Reasons by status; undefined: there is no such status. */
const reasons: readonly (Reason | null | undefined)[] = [
  null,
  'limited',
  'blocked',
  'too-costly',
  undefined,
  undefined,
  'banned',
]

/** Why a script refuses, or null. */
export function reasonOf(status: number): Reason | null {
  const reason = reasons[status]
  if (reason === undefined) throw malformed()
  return reason
}
