import type { Policy } from '../policy.ts'
import type { Duration } from '../units.ts'
import type { BlockFor } from './block-for.ts'
import { like, limit, noteBytes, window } from './common-options.ts'
import { type FairDraft, type FairNumbers, type FairSeen, lookFairly, see } from './fair-look.ts'
import { clientOf, countFor, type FairState } from './fair-window.ts'
import { inRedis, strategyFrom } from './strategy-from.ts'
import { chosenBeside, repairedEndUs, usualArgument } from './window.ts'

export interface FairShareOptions {
  /** Units per window for all clients of a key together, at most 1,000,000,000. */
  limit: number
  /** Such as '1m'; a number is milliseconds. */
  window: Duration
  /** How many shares a client has whose calls choose this policy, at most 1,000. @default 1 */
  weight?: number | undefined
  /** So many clients have a share of their own, at most 1,000; all further ones have one together. @default 100 */
  maxClients?: number | undefined
  /** The longest name of a client, in bytes; a longer one is cut, never inside a character. @default 64 */
  noteBytes?: number | undefined
}

/** The state after a charge: a new window, or the running one, which another check of the call may have changed since the look. */
function charged({ window, runs, life }: FairSeen, state: FairState | undefined): FairState {
  const now = runs && state !== undefined ? state : window
  now.endUs = life.endUs
  now.untilUs = life.untilUs
  now.spanUs = life.spanUs
  return now
}

/**
 * At most `limit` per window for all clients of a key, which the calls' `note` names. A client that is alone may use everything. When
 * others come, each has its share in the next window at the latest, and what nobody asks for is anybody's. Use `fixedWindow` with a key
 * for each client if none may use what the others leave.
 *
 * @example fairShare({ limit: 1000, window: '1s' }) // limiter.check('search', { note: customer })
 */
export const fairShare: (
  options: FairShareOptions & BlockFor,
) => Policy<'refund' | 'penalize' | 'reward' | 'note'> = strategyFrom<
  FairShareOptions,
  FairNumbers,
  FairState,
  FairDraft,
  'refund' | 'penalize' | 'reward' | 'note'
>({
  name: 'fairShare',
  code: 'fs',
  can: ['refund', 'penalize', 'reward', 'note'],
  wants: ['note'],
  noBlocks:
    'to be left out, as a block would refuse all clients of the key for what one has done (use blockFor on a policy whose key is the client, beside this one)',
  options: {
    limit: like(limit, { max: 1e9 }),
    window,
    weight: { kind: 'count', max: 1000, default: 1 },
    maxClients: { kind: 'count', max: 1000, default: 100 },
    noteBytes,
  },
  chosen: chosenBeside,
  look: (numbers, state, nowUs, cost, note = '') => lookFairly(numbers, state, { nowUs, note, cost }),
  take(state, { seen, cost }) {
    const now = charged(seen, state)
    countFor(now, seen, { taken: cost, asked: cost })
    return now
  },
  refuse({ numbers, state, draft: { seen, cost } }) {
    const now = seen.runs && state !== undefined ? state : seen.window
    const { asked: before, used } = clientOf(now, seen.name)
    // Of what is asked for beyond the limit only one unit is stored, so that refusals of a noisy client do not cause writes for ever. That
    // unit shows that the client was refused, should it give back all that it has used.
    const asked = Math.min(cost, numbers.limit + Math.min(used, 1) - before)
    if (asked <= 0) return state
    countFor(now, seen, { taken: 0, asked })
    return now
  },
  charge(numbers, state, units, nowUs, note = '') {
    const seen = see(numbers, state, { nowUs, note })
    const now = charged(seen, state)
    countFor(now, seen, { taken: units, asked: 0 })
    return now
  },
  tellsCounts: () => true,
  receipt: ({ endUs }, { seen }) => `${endUs}:${seen.name}`,
  give(state, units, nowUs, { receipt }) {
    const name = receipt.slice(receipt.indexOf(':') + 1)
    if (state.endUs <= nowUs || state.endUs !== Number.parseInt(receipt, 10)) return state
    const { used, weight } = clientOf(state, name)
    const given = -Math.min(units, used)
    if (given < 0) countFor(state, { name, weight }, { taken: given, asked: given })
    return state
  },
  // Makes room for all clients, as it is not known whose units these were.
  reward(_numbers, state, units, nowUs) {
    if (state.endUs > nowUs) state.total = Math.max(0, state.total - units)
    return state
  },
  repair(numbers, state, nowUs) {
    const endUs = repairedEndUs(state, numbers, { nowUs })
    return endUs === state.endUs ? state : { ...state, endUs, untilUs: endUs + numbers.windowUs }
  },
  idleUs: (_numbers, { untilUs }, nowUs) => untilUs - nowUs,
  redis: inRedis((numbers) => [
    numbers.limit,
    numbers.windowUs,
    usualArgument(numbers),
    numbers.weight,
    numbers.maxClients,
  ]),
})
