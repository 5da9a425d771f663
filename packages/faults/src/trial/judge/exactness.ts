import type { Exchange } from '../exchange.ts'
import { rules } from '../settings.ts'
import { wasWithoutRedis } from './outage.ts'
import { crowds, wrongRefusals } from './windows.ts'

/** Something that Redis, asked alone and by all processes, would not have answered. */
export interface Slip {
  readonly atMs: number
  readonly what: string
  /** Whether it was decided without Redis: a check has missed its deadline. */
  readonly withoutRedis: boolean
}

/**
 * Every slip from one instant to another. Only certain slips count, because only the server knows when it decided: more
 * admitted than the limit, refused although there was room, or decided without Redis.
 */
export function slipsWithin(
  exchanges: readonly Exchange[],
  [fromMs, toMs]: readonly [number, number],
): readonly Slip[] {
  const busy = exchanges.filter(({ caller }) => caller === 'busy')
  const { limit } = rules.second
  const slips = [
    ...crowds(
      busy.filter(({ status }) => status === 200),
      rules.second,
    )
      .filter((crowd) => crowd.admitted > limit)
      .map(({ lastSentAtMs, admitted }) => ({
        atMs: lastSentAtMs,
        what: `${admitted} of ${limit} admitted`,
        withoutRedis: false,
      })),
    ...wrongRefusals(busy, rules.second).map(({ sentAtMs, status }) => ({
      atMs: sentAtMs,
      what: `${status} for a request for which there was room`,
      withoutRedis: false,
    })),
    ...exchanges.filter(wasWithoutRedis).map(({ sentAtMs, status, text }) => ({
      atMs: sentAtMs,
      what: `${status} ${text.slice(0, 80)}`,
      withoutRedis: true,
    })),
  ]
  return slips.filter(({ atMs }) => atMs >= fromMs && atMs < toMs).sort((a, b) => a.atMs - b.atMs)
}
