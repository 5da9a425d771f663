import { defineStrategy, type Policy, type StrategyDraft } from '@sluice/core'
import { flexibleWindowLua } from '../lua.generated.ts'

/** What one call does to a key's count. */
export interface FlexibleWindow {
  /** Added to the count, or the count itself where `puts`; may be negative. */
  readonly units: number
  /** Sets the count, and begins the window anew. */
  readonly puts: boolean
  /** How much may be consumed; the count itself goes on beyond it. */
  readonly limit: number
  /** Length of a window that this call begins; 0: it never ends. */
  readonly windowUs: number
  /** Length of a block, which takes the place of the window from the call on that brings the count to `blockAt`; 0: no block. */
  readonly blockUs: number
  readonly blockAt: number
}

/** A count, and when it is forgotten. */
interface Count {
  endUs: number
  count: number
}

interface Draft extends StrategyDraft, Count {}

/** The end of a window that never ends: in the year 2223. */
const neverUs = 8e15
/** `remaining` is this number less the count, as a store answers no negative number. */
export const middle: number = 2 ** 52
/** Only a window that never ends has more time left than this. */
export const foreverMs: number = 100 * 365 * 86_400_000

/**
 * What rate-limiter-flexible keeps of a key: a count that goes on beyond the limit, and an end that may be the key's own. A cost of 0
 * looks; a cost of 1 is refused where the limit is reached, which is how a memory store asks which keys must stay; any other counts.
 */
export const flexibleWindow: (options: FlexibleWindow) => Policy = defineStrategy<
  FlexibleWindow,
  FlexibleWindow,
  Count,
  Draft
>({
  name: 'flexibleWindow',
  code: 'flex',
  can: [],
  parse: (options) => options,
  look({ units, puts, limit, windowUs, blockUs, blockAt }, state, nowUs, cost) {
    const running = state !== undefined && state.endUs > nowUs
    const endUs = running ? state.endUs : nowUs
    const count = running ? state.count : 0
    if (cost === 0) return drafted({ endUs, count }, limit, { nowUs, retryAfterUs: 0 })
    if (cost === 1 && count >= limit) {
      const retryAfterUs = limit <= 0 ? null : endUs - nowUs
      return drafted({ endUs, count }, limit, { nowUs, retryAfterUs })
    }
    const next = Math.max(1 - middle, Math.min(puts ? units : count + units, middle - 1))
    const blocks = blockUs > 0 && !puts && next >= blockAt && next - units < blockAt
    if (running && !puts && !blocks) return drafted({ endUs, count: next }, limit, { nowUs, retryAfterUs: 0 })
    const lifeUs = blocks ? blockUs : windowUs
    const nextUs = lifeUs === 0 ? neverUs : Math.min(nowUs + lifeUs, neverUs)
    return drafted({ endUs: nextUs, count: next }, limit, { nowUs, retryAfterUs: 0 })
  },
  take: (_state, { endUs, count }) => ({ endUs, count }),
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
    encode: ({ units, puts, limit, windowUs, blockUs, blockAt }) => [
      units,
      puts ? 1 : 0,
      limit,
      windowUs,
      blockUs,
      blockAt,
    ],
    lua: flexibleWindowLua,
  },
})

function drafted(
  { endUs, count }: Count,
  limit: number,
  { nowUs, retryAfterUs }: { nowUs: number; retryAfterUs: number | null },
): Draft {
  const [remaining, resetAfterUs] = [middle - count, endUs - nowUs]
  return { allowed: retryAfterUs === 0, limit, remaining, retryAfterUs, resetAfterUs, endUs, count }
}
