import { optionError, partsOf, type waits } from '@sluice/core/internal'
import type { RequestState } from './request-state.ts'
import type { GateLimiter } from './subject.ts'

export const cannotWait = 'nothing here, as this limiter cannot make a request wait'

/** Longer than most proxies wait for an answer. */
const longMs = 30_000

/** Refuses a limiter that cannot make a request wait, and warns of a wait that proxies cut off. */
export function checkMaxWait(limiter: GateLimiter, maxWaitUs: number): void {
  const maxWaitMs = maxWaitUs / 1000
  if (limiter.delay === undefined) throw optionError('maxWait', cannotWait, maxWaitMs)
  const { lanes = [], store } = limiter
  for (const { name, policy } of lanes) {
    if (policy === null || 'reserve' in policy.can) continue
    if (lanes.length === 1 && 'line' in policy.can && store?.can?.includes('line') === true) continue
    const { later } = partsOf(policy).definition
    const how = later === undefined ? '' : `write ${later.how}, or `
    const expected = `0, as policy "${name}" cannot reserve: ${policy.strategy} (${how}stack two limiters, the waiting one first)`
    throw optionError('maxWait', expected, maxWaitMs)
  }
  if (maxWaitMs > longMs)
    limiter.warned?.({
      code: 'SLUICE_LONG_WAIT',
      message: `maxWait is ${maxWaitMs} ms: most proxies give up after 30 s or a minute; stay below that, or raise their time-out`,
    })
}

/** A time that was most likely meant in seconds, as hardly anybody waits for less than a tenth of one. */
export function tooShort(maxWait: unknown): unknown {
  return Number(maxWait) < 100 ? maxWait : undefined
}

/** Whether it is the error of requests that waited when their limiter was closed. */
export function isClosedError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'SLUICE_CLOSED'
}

/** How one request waits: until it is over, most often as its client has gone. */
export function waitOf(state: RequestState, maxWaitUs: number): waits.Wait & { signal: AbortSignal } {
  const gone = new AbortController()
  state.onClose(() => gone.abort())
  return { maxWaitUs, signal: gone.signal, jitter: undefined }
}
