import type { Decision, Key, Refused } from '@sluice/core'
import { decisions } from '@sluice/core/internal'

/** The times of a refusal, as its fields and its body say them. */
type Told = Pick<Decision, 'allowed' | 'retryAfterMs' | 'resetAfterMs'>

const lengthened = new WeakSet<Refused>()

/**
 * Clients that are refused at one instant would come again at one instant: each is told a time that is longer by a part of
 * `jitterMs`, the same part whenever it asks and whichever process answers, as it follows from limiter and key.
 */
export function spreadRetries(decision: Refused, jitterMs: number): void {
  const ms = Math.floor(shareOf(decision.limiter, decision.key) * jitterMs)
  // A decider of a user's own may answer the same object again.
  if (ms === 0 || lengthened.has(decision)) return
  lengthened.add(decision)
  lengthen(decision, ms)
  for (const verdict of decisions.verdictsBehind(decision)) lengthen(verdict, ms)
}

/** Lengthens the times of a refusal, unless waiting never helps. A policy that has allowed is left out: the client waits for another. */
function lengthen(told: Told, ms: number): void {
  if (told.allowed || told.retryAfterMs === null) return
  // No assignment: a decision of a user's own may be frozen, and keeps its time then.
  Reflect.set(told, 'retryAfterMs', told.retryAfterMs + ms)
  Reflect.set(told, 'resetAfterMs', told.resetAfterMs + ms)
}

/** From 0 up to 1, evenly over keys: FNV-1a, and the last steps of MurmurHash3, as short texts that are alike differ in few bits. */
function shareOf(limiter: string, key: Key): number {
  const text = `${limiter}\n${String(key)}`
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}
