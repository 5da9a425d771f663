import type { Policy } from '../policy.ts'
import type { Duration } from '../units.ts'
import { limit, window } from './common-options.ts'
import { defineStrategy } from './definition.ts'
import { fixedWindowLua } from './lua.generated.ts'
import { windowPicture } from './picture.ts'
import { slipUs } from './slip.ts'
import { lookWindow, type WindowDraft } from './window.ts'

export interface FixedWindowOptions {
  limit: number
  window: Duration
  /**
   * Whether a window starts at a key's first hit, or for all keys at multiples of its length since 1970-01-01, 00:00
   * UTC. So `1m`, `1h` and `1d` start with the minute, the hour and the day in UTC; `7d` starts on Thursdays, and `30d` on no particular
   * day: use `'first-hit'`, `slidingWindowLog` or `slidingWindowCounter` for a week or a month. @default 'first-hit'
   *
   * @example fixedWindow({ limit: 1000, window: '1d', start: 'clock' }) // a new quota each midnight, UTC
   */
  start?: 'first-hit' | 'clock' | undefined
}

interface Numbers {
  readonly limit: number
  readonly windowUs: number
  readonly aligned: boolean
}

interface State {
  endUs: number
  count: number
}

/**
 * At most `limit` per window. Around a boundary up to twice the limit can pass within one window's length;
 * use `slidingWindowLog` or `multiWindow` if that is too much.
 *
 * @example fixedWindow({ limit: 100, window: '10s' })
 */
export const fixedWindow: (options: FixedWindowOptions) => Policy<'refund' | 'penalize' | 'reward'> =
  defineStrategy<FixedWindowOptions, Numbers, State, WindowDraft, 'refund' | 'penalize' | 'reward'>({
    name: 'fixedWindow',
    code: 'fw',
    can: ['refund', 'penalize', 'reward'],
    refusalsLast: true,
    about: 'At most `limit` units per window, which starts at the first hit or by the clock.',
    options: {
      limit,
      window: { ...window, example: '1m' },
      start: {
        kind: 'choice',
        about:
          'Whether a window starts at a key’s first hit, or for all keys at multiples of its length since 1970 in UTC, so that `7d` starts on Thursdays.',
        choices: ['first-hit', 'clock'],
        default: 'first-hit',
        example: 'clock',
      },
    },
    numbers: ({ limit, windowUs, start }) => ({ limit, windowUs, aligned: start === 'clock' }),
    picture: ({ limit, windowUs }) =>
      windowPicture({ title: 'fixed window', shape: 'fixed', limit, windowUs }),
    look({ limit, windowUs, aligned }, state, nowUs, cost) {
      if (state !== undefined && state.endUs > nowUs) {
        return lookWindow({ limit, endUs: state.endUs, count: state.count, running: true }, nowUs, cost)
      }
      const endUs = aligned ? nowUs - (nowUs % windowUs) + windowUs : nowUs + windowUs
      return lookWindow({ limit, endUs, count: 0, running: false }, nowUs, cost)
    },
    take: (_state, draft) => draft,
    receipt: ({ endUs }) => endUs,
    give(state, units, nowUs, { receipt }) {
      if (state.endUs <= nowUs || state.endUs !== Number(receipt)) return state
      return { endUs: state.endUs, count: Math.max(0, state.count - units) }
    },
    reward(_numbers, state, units, nowUs) {
      if (state.endUs <= nowUs || state.count === 0) return state
      return { endUs: state.endUs, count: Math.max(0, state.count - units) }
    },
    repair({ windowUs }, state, nowUs) {
      const furthestUs = nowUs + windowUs
      return state.endUs > furthestUs + slipUs ? { endUs: furthestUs, count: state.count } : state
    },
    idleUs: (_numbers, { endUs }, nowUs) => endUs - nowUs,
    packed: {
      width: 2,
      blank: () => ({ endUs: 0, count: 0 }),
      load(values, at, state) {
        state.endUs = values[at] ?? 0
        state.count = values[at + 1] ?? 0
      },
      save(values, at, { endUs, count }) {
        values[at] = endUs
        values[at + 1] = count
      },
    },
    redis: {
      encode: ({ limit, windowUs, aligned }) => [limit, windowUs, aligned ? 1 : 0],
      lua: fixedWindowLua,
    },
  })
