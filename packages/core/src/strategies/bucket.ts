import type { Policy } from '../policy.ts'
import type { Duration } from '../units.ts'
import { fitsWindow } from './ahead.ts'
import { count, maxDebt, period } from './common-options.ts'
import type { Debt } from './debt.ts'
import { type Bad, defineStrategy, type StrategyDraft } from './definition.ts'
import { inRedis } from './in-redis.ts'
import type { DeclaredOptions, ReadOptions } from './options.ts'
import { rateWindow, rateWords } from './picture.ts'
import { shareOf } from './share.ts'
import { slipUs } from './slip.ts'

/** The token bucket and the leaky bucket are one algorithm with two names. */
export interface BucketOptions extends Debt {
  /** The most that fits at once. */
  capacity: number
  /** Units per period that become available again, continuously. */
  count: number
  period: Duration
}

interface Numbers {
  /** The rate in lowest terms: `flow` parts drain per µs, and a unit has `parts` parts. */
  readonly flow: number
  readonly parts: number
  readonly capacity: number
  readonly empty: boolean
  readonly maxDebtUs: number
}

/** Parts used as of `atUs`; `back`: parts given back so far, while that matters. */
interface State {
  used: number
  atUs: number
  parts: number
  back: number
}

interface BucketDraft extends StrategyDraft {
  readonly used: number
  readonly parts: number
  readonly back: number
}

const oneMinuteUs = 60_000_000

type BucketAbility = 'reserve' | 'refund' | 'penalize' | 'reward'

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}

/** A bucket’s options, in the order in which they are shown. */
export const bucketOptions: DeclaredOptions<BucketOptions> = {
  capacity: { kind: 'count', about: 'The most that fits at once.', scales: 'amount', example: 30 },
  count: { ...count, about: 'Units per period that become available again, continuously.', example: 10 },
  period: { ...period, example: '1s' },
  maxDebt,
}

export function bucketNumbers(read: ReadOptions<BucketOptions>, bad: Bad, empty = false): Numbers {
  const { capacity, count, periodUs, maxDebtUs } = read
  const divisor = greatestCommonDivisor(count, periodUs)
  const flow = count / divisor
  const parts = periodUs / divisor
  if (capacity * parts >= 2 ** 52) {
    const most = Math.floor((2 ** 52 - 1) / parts)
    bad('capacity', `at most ${most} at this rate (beyond it whole numbers are not exact)`)
  }
  return { flow, parts, capacity, empty, maxDebtUs }
}

function fullOf({ capacity, parts }: Numbers): number {
  return capacity * parts
}

function mostOf(numbers: Numbers): number {
  return fullOf(numbers) + numbers.maxDebtUs * numbers.flow
}

/** Parts used as of the state's time, converted to the parts of these numbers. */
function usedOf({ parts }: Numbers, state: State): number {
  return state.parts === parts ? state.used : Math.ceil((state.used * parts) / state.parts)
}

/**
 * A bucket that started empty is kept for twice its fill time, at least a minute (clients may wait in whole seconds),
 * plus any debt; after that it starts empty again.
 */
function emptyLifeUs(numbers: Numbers, state: State): number {
  const full = fullOf(numbers)
  const debt = Math.max(0, usedOf(numbers, state) - full)
  return Math.max(2 * Math.ceil(full / numbers.flow), oneMinuteUs) + Math.ceil(debt / numbers.flow)
}

/** Whether a bucket that started empty has been idle long enough to start empty again. */
function startsAnew(numbers: Numbers, state: State, nowUs: number): boolean {
  return numbers.empty && nowUs - state.atUs >= emptyLifeUs(numbers, state)
}

/** Parts used and given back, as of now. */
function drain(numbers: Numbers, state: State | undefined, nowUs: number): { used: number; back: number } {
  if (state === undefined || startsAnew(numbers, state, nowUs)) {
    return { used: numbers.empty ? fullOf(numbers) : 0, back: 0 }
  }
  const used = usedOf(numbers, state)
  const back = state.parts === numbers.parts ? state.back : 0
  const elapsedUs = nowUs - state.atUs
  // The clock has stepped back: add what drains until that time comes again.
  if (elapsedUs < 0) return { used: used - elapsedUs * numbers.flow, back: used + back <= 0 ? 0 : back }
  const drained = elapsedUs * numbers.flow
  return { used: Math.max(0, used - drained), back: used + back <= drained ? 0 : back }
}

function look(numbers: Numbers, state: State | undefined, nowUs: number, cost: number): BucketDraft {
  const { flow, parts, capacity: limit } = numbers
  const full = fullOf(numbers)
  const { used, back } = drain(numbers, state, nowUs)
  const added = cost * parts
  const room = full - used - added
  if (room >= 0) {
    const remaining = Math.floor(room / parts)
    const resetAfterUs = Math.ceil((used + added) / flow)
    return { allowed: true, limit, remaining, retryAfterUs: 0, resetAfterUs, used: used + added, parts, back }
  }
  const remaining = Math.max(0, Math.floor((full - used) / parts))
  const resetAfterUs = Math.ceil(used / flow)
  const retryAfterUs = cost === 0 ? 0 : added > full ? null : Math.ceil(-room / flow)
  const drafted = Math.max(used, Math.min(used + added, mostOf(numbers)))
  return { allowed: cost === 0, limit, remaining, retryAfterUs, resetAfterUs, used: drafted, parts, back }
}

function receiptOf({ used, atUs, parts, back }: State): string {
  return `${used}:${atUs}:${parts}:${back}`
}

export function defineBucket<O extends BucketOptions>(about: {
  readonly name: string
  readonly code: string
  readonly title: string
  /** The words before the capacity and before the rate in its rule. */
  readonly words: readonly [capacity: string, rate: string]
  readonly about: string
  readonly options: DeclaredOptions<O>
  readonly numbers: (read: ReadOptions<O>, bad: Bad) => Numbers
}): (options: O) => Policy<BucketAbility> {
  return defineStrategy<O, Numbers, State, BucketDraft, BucketAbility>({
    name: about.name,
    code: about.code,
    refusalsLast: true,
    can: ['reserve', 'refund', 'penalize', 'reward'],
    about: about.about,
    options: about.options,
    numbers: about.numbers,
    limitOf: ({ capacity }) => capacity,
    windowUsOf: (numbers) => Math.ceil(fullOf(numbers) / numbers.flow),
    picture: (numbers) => ({
      title: about.title,
      rule: `${about.words[0]} ${numbers.capacity}, ${about.words[1]} ${rateWords(numbers.flow / numbers.parts)}`,
      windowUs: rateWindow(fullOf(numbers) / numbers.flow),
      most: numbers.capacity,
      mostIn: (spanUs) => numbers.capacity + Math.floor((spanUs * numbers.flow) / numbers.parts),
      shape: 'none',
    }),
    // Used up to `us` later, units come together that were taken up to `us` apart: as many as drain meanwhile.
    ahead: {
      numbers(numbers, us) {
        const capacity = numbers.capacity - Math.ceil((us * numbers.flow) / numbers.parts)
        return capacity >= 1 && fitsWindow(fullOf(numbers) / numbers.flow, us)
          ? { ...numbers, capacity }
          : undefined
      },
    },
    share(numbers, processes) {
      const { flow, parts } = numbers
      const divisor = greatestCommonDivisor(flow, parts * processes)
      const capacity = shareOf(numbers.capacity, processes)
      return { ...numbers, flow: flow / divisor, parts: (parts * processes) / divisor, capacity }
    },
    look,
    take: (_state, { used, parts, back }, { nowUs: atUs }) => ({ used, atUs, parts, back }),
    receipt: receiptOf,
    give(state, units, nowUs, { receipt, numbers }) {
      const [mine = 0, takenUs = 0, parts = 0, mineBack = 0] = receipt.split(':').map(Number)
      const { used, back } = drain(numbers, state, nowUs)
      if (parts !== numbers.parts || back < mineBack) return state
      const mineNow = mine - (nowUs - takenUs) * numbers.flow
      // There may be a reservation: promised times must not move.
      const held = used > fullOf(numbers)
      if (held && used > mineNow) return state
      const free = held ? Number.POSITIVE_INFINITY : mineNow - (back - mineBack)
      const restored = Math.min(units * parts, used, free)
      return restored > 0 ? { used: used - restored, atUs: nowUs, parts, back: back + restored } : state
    },
    reward(numbers, state, units, nowUs) {
      const { used, back } = drain(numbers, state, nowUs)
      if (used === 0 || startsAnew(numbers, state, nowUs)) return state
      const restored = Math.min(units * numbers.parts, used)
      return { used: used - restored, atUs: nowUs, parts: numbers.parts, back: back + restored }
    },
    begin(numbers, atUs) {
      return numbers.empty ? { used: fullOf(numbers), atUs, parts: numbers.parts, back: 0 } : undefined
    },
    unused: (numbers, atUs) => (numbers.empty ? { used: 0, atUs, parts: numbers.parts, back: 0 } : undefined),
    raise(numbers, state, waitUs, nowUs) {
      const { flow, parts, capacity } = numbers
      const { used, back } = drain(numbers, state, nowUs)
      const raised = Math.min((capacity - 1) * parts + waitUs * flow, mostOf(numbers))
      if (state !== undefined && raised <= used && !startsAnew(numbers, state, nowUs)) return state
      return { used: Math.max(used, raised), atUs: nowUs, parts, back }
    },
    spacingUs: ({ parts, flow }, cost) => Math.ceil((cost * parts) / flow),
    repair(numbers, state, nowUs) {
      const { used, back } = drain(numbers, state, Math.max(nowUs, state.atUs))
      const most = mostOf(numbers)
      if (state.atUs <= nowUs + slipUs && used <= most + slipUs * numbers.flow) return state
      return { used: Math.min(used, most), atUs: nowUs, parts: numbers.parts, back }
    },
    idleUs(numbers, state, nowUs) {
      if (numbers.empty) return state.atUs + emptyLifeUs(numbers, state) - nowUs
      return state.atUs + Math.ceil((state.used + state.back) / numbers.flow) - nowUs
    },
    packed: {
      width: 4,
      blank: () => ({ used: 0, atUs: 0, parts: 1, back: 0 }),
      load(values, at, state) {
        state.used = values[at] ?? 0
        state.atUs = values[at + 1] ?? 0
        state.parts = values[at + 2] ?? 0
        state.back = values[at + 3] ?? 0
      },
      save(values, at, { used, atUs, parts, back }) {
        values[at] = used
        values[at + 1] = atUs
        values[at + 2] = parts
        values[at + 3] = back
      },
    },
    redis: inRedis(({ flow, parts, capacity, empty, maxDebtUs }) => [
      flow,
      parts,
      capacity,
      empty ? 1 : 0,
      maxDebtUs,
    ]),
  })
}
