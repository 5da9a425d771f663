import type { Decision } from '@sluice/core'
import { checkNames, optionError, partsOf, waits, wholeNumber } from '@sluice/core/internal'
import { cannotWait } from './max-wait.ts'
import type { AnyOptions, SlowDown } from './options.ts'
import type { RequestState } from './request-state.ts'
import type { GateLimiter, Holder } from './subject.ts'

export type SlowDownRule = SlowDown & { readonly maxDelayMs: number }

/** Options that have no meaning where nobody is refused, no fields are sent and nothing is in flight. */
export const refusing = [
  'settle',
  'releaseOnAbort',
  'sendTimeout',
  'maxWait',
  'retryJitter',
  'onRefused',
  'refuseBy',
  'headers',
] as const

export function readSlowDown<Req>(options: AnyOptions<Req>): SlowDownRule | undefined {
  const given = options.slowDown
  if (given === undefined) return undefined
  checkNames(given, 'slowDown', ['delayAfter', 'delayMs', 'maxDelayMs'])
  for (const name of refusing)
    if (options[name] !== undefined)
      throw optionError(name, 'nothing here, as slowDown refuses nobody and sends no fields', options[name])
  const { delayAfter, delayMs, maxDelayMs = 30_000 } = given
  if (typeof delayMs !== 'function') wholeNumber(delayMs, 'slowDown.delayMs', 1)
  return {
    delayAfter: wholeNumber(delayAfter, 'slowDown.delayAfter', 0),
    delayMs,
    maxDelayMs: wholeNumber(maxDelayMs, 'slowDown.maxDelayMs', 1),
  }
}

/**
 * Throws for a limiter that cannot make requests wait, for one that counts requests in flight, as these use nothing up, and where no
 * request would ever be delayed.
 */
export function checkSlowDown(limiter: GateLimiter, { delayAfter }: SlowDownRule): void {
  const { lanes = [] } = limiter
  if (!canHold(limiter)) throw optionError('slowDown', cannotWait, {})
  for (const { name, policy } of lanes)
    if (policy !== null && partsOf(policy).inFlight)
      throw optionError('slowDown', `nothing here, as policy "${name}" counts requests in flight`, {})
  if (lanes.length > 0 && lanes.every(({ policy }) => policy !== null && delayAfter > policy.limit))
    throw optionError('slowDown.delayAfter', 'at most the limit', delayAfter)
}

/** Whether a limiter can make requests wait: any limiter of ours can. */
function canHold(limiter: GateLimiter): limiter is GateLimiter & Holder {
  return limiter.maxSleepers !== undefined
}

export function isTurnedAway({ reason }: Decision): boolean {
  return reason === 'denied' || reason === 'blocked' || reason === 'banned'
}

/** The delay in milliseconds. Beyond the limit, where no more is counted, it grows no more. */
export function delayOf({ delayAfter, delayMs, maxDelayMs }: SlowDownRule, decision: Decision): number {
  const { allowed, limit, remaining } = decision
  const used = allowed ? limit - remaining : limit + 1
  if (!(used > delayAfter)) return 0
  const ms = typeof delayMs === 'function' ? delayMs(used) : (used - delayAfter) * delayMs
  return Number.isFinite(ms) ? Math.min(Math.max(0, Math.ceil(ms)), maxDelayMs) : maxDelayMs
}

/** Sleeps; false: the client has gone meanwhile. */
export async function slowed(limiter: GateLimiter, state: RequestState, ms: number): Promise<boolean> {
  if (ms === 0 || state.gone || !canHold(limiter) || limiter.closedBy !== undefined) return !state.gone
  const sleepers = waits.sleepersOf(limiter)
  if (!sleepers.enter()) {
    limiter.warned({
      code: 'SLUICE_MAX_SLEEPERS',
      message:
        'maxSleepers requests are slowed down: others pass at once; raise maxSleepers or shorten slowDown.maxDelayMs',
    })
    return true
  }
  try {
    await waits.sleepAmong(sleepers, ms, state.signal)
  } catch {
    // A limiter that is closed wakes the requests that sleep: they pass.
    return !state.gone
  } finally {
    sleepers.leave()
  }
  return true
}
