import type {
  Check,
  Command,
  Duration,
  InLine,
  KeySnapshot,
  LimiterSettings,
  LinePlace,
  Policies,
  Policy,
  Question,
  Reason,
  StoreAtOnce,
  StoreRow,
  StoreRows,
} from '@sluice/core'
import { createLimiter, gcra, type LimiterAtOnce } from '@sluice/core'
import { checkNames, durationUs, monotonicClock, oneOf, optionError, stores } from '@sluice/core/internal'

type Settings = Pick<LimiterSettings, 'name' | 'observers' | 'logger'>

/** A limiter that always allows: one policy, or several by name. */
export type AllowingOptions<P extends Policies> = Settings & {
  /** @default { default: gcra({ count: 100, period: '1m' }) } */
  policies?: P | undefined
}

/** A limiter that always refuses: by one policy, or by some of several. */
export type RefusingOptions<P extends Policies> = AllowingOptions<P> & {
  /** The policies that refuse. @default all of them */
  by?: (keyof P & string) | readonly (keyof P & string)[] | undefined
  /** @default 'limited' */
  reason?: Reason | undefined
  /** null: waiting never helps, which is the default where the reason is `'denied'` or `'too-costly'`. @default '1m' */
  retryAfter?: Duration | null | undefined
}

interface Refusal {
  readonly by: readonly string[] | undefined
  readonly reason: Reason
  readonly retryAfterUs: number | null
}

const usual = { default: gcra({ count: 100, period: '1m' }) }
const reasons = ['limited', 'blocked', 'banned', 'denied', 'too-costly', 'store-unavailable'] as const

/** A store that always gives the same answer, and counts nothing. */
class FixedStore implements StoreAtOnce {
  readonly name = 'memory'
  readonly atOnce = true
  readonly can = ['reward', 'set', 'line', 'blockFor', 'upTo'] as const
  readonly clock = monotonicClock
  readonly #refusal: Refusal | undefined

  constructor(refusal?: Refusal) {
    this.#refusal = refusal
  }

  answer({ checks }: Question): StoreRows {
    const rows: StoreRows = checks.map((check) => this.#rowOf(check))
    return this.#refusal?.reason === 'store-unavailable' ? Object.assign(rows, { source: 'none' }) : rows
  }

  #rowOf(check: Check): StoreRow {
    const { limit } = check.policy
    if (this.#refusal === undefined || !refuses(this.#refusal, check)) {
      const remaining = Math.max(0, limit - check.cost)
      return stores.makeRow({ limit, remaining, retryAfterUs: 0, resetAfterUs: 0 }, null, '')
    }
    const { reason, retryAfterUs } = this.#refusal
    const resetAfterUs = retryAfterUs ?? 0
    switch (reason) {
      case 'limited':
      case 'blocked':
      case 'banned':
        return stores.makeRow({ limit, remaining: 0, retryAfterUs, resetAfterUs }, reason, '')
      case 'too-costly':
        return stores.makeRow({ limit, remaining: limit, retryAfterUs, resetAfterUs }, reason, '')
      case 'denied':
        return stores.makeRow({ limit: 0, remaining: 0, retryAfterUs, resetAfterUs }, reason, '')
      case 'store-unavailable':
        return {
          ...stores.makeRow({ limit, remaining: 0, retryAfterUs, resetAfterUs: 0 }, reason, ''),
          uncounted: true,
        }
    }
  }

  adjust(): void {}

  manage({ op, check }: Command): KeySnapshot | undefined {
    if (op !== 'inspect') return undefined
    const row = this.#rowOf(check)
    return { row, blockedUs: stores.isBlock(row.reason) ? row.retryAfterUs : null, entries: [] }
  }

  line(callers: readonly InLine[]): readonly LinePlace[] {
    return callers.map(({ check }) => ({ row: this.#rowOf(check), waits: false }))
  }

  async close(): Promise<void> {}
}

function refuses({ by }: Refusal, check: Check): boolean {
  // A limiter's checks carry their lanes.
  return by === undefined || ('lane' in check && by.includes((check.lane as { name: string }).name))
}

function readRefusal(options: RefusingOptions<Policies>, names: readonly string[]): Refusal {
  const { by, reason = 'limited' } = options
  oneOf(reason, 'reason', reasons)
  const never = reason === 'denied' || reason === 'too-costly'
  const { retryAfter = never ? null : '1m' } = options
  const refusing = by === undefined || Array.isArray(by) ? by : [by]
  if (refusing?.length === 0) throw optionError('by', 'at least one policy', by)
  for (const name of refusing ?? []) {
    if (!names.includes(name)) throw optionError('by', `policies of ${JSON.stringify(names)}`, name)
  }
  return {
    by: refusing,
    reason,
    retryAfterUs: retryAfter === null ? null : durationUs(retryAfter, 'retryAfter'),
  }
}

const names = ['policies', 'name', 'observers', 'logger']

/**
 * A limiter that allows every request, with the decisions of a real one: for tests of the code behind it.
 *
 * @example const app = createApp({ limiter: allowingLimiter() })
 */
export function allowingLimiter<
  const P extends Policies = { readonly default: Policy<'reserve' | 'refund' | 'penalize' | 'reward'> },
>(options: AllowingOptions<P> = {}): LimiterAtOnce<P> {
  checkNames(options, '', names)
  return limiterOn(new FixedStore(), options)
}

/**
 * A limiter that refuses every request, with the decisions of a real one: for tests of what a refused caller sees.
 *
 * @example refusingLimiter({ retryAfter: '30s' })
 * @example refusingLimiter({ policies: { visitor, attraction }, by: 'attraction', reason: 'blocked' })
 */
export function refusingLimiter<
  const P extends Policies = { readonly default: Policy<'reserve' | 'refund' | 'penalize' | 'reward'> },
>(options: RefusingOptions<P> = {}): LimiterAtOnce<P> {
  checkNames(options, '', [...names, 'by', 'reason', 'retryAfter'])
  const { by: _by, reason: _reason, retryAfter: _retryAfter, ...others } = options
  const { policies = usual } = options
  const refusal = readRefusal(options, Object.keys(Object(policies)))
  return limiterOn(new FixedStore(refusal), others as AllowingOptions<P>) // without what only a refusal has
}

function limiterOn<P extends Policies>(
  store: StoreAtOnce,
  { policies = usual, ...settings }: AllowingOptions<Policies>,
): LimiterAtOnce<P> {
  const limiter: unknown = createLimiter({ ...settings, policies, store })
  return limiter as LimiterAtOnce<P> // P is what `policies` is, or else the usual one's
}
