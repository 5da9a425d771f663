import type { Policy } from '../policy.ts'
import { reserving } from '../reserving/reserving.ts'
import { type Duration, instantText } from '../units.ts'
import {
  type BucketDraft,
  chosenAtFirst,
  cutOf,
  cutOff,
  drain,
  fullOf,
  idleUs,
  isMixed,
  keptCut,
  lookMixed,
  mostOf,
  type Numbers,
  repairMixed,
  rewardMixed,
  roomTaken,
  type State,
  startsAnew,
} from './bucket-state.ts'
import {
  asChosen,
  type Debt,
  like,
  limit,
  maxDebt,
  period,
  rateAbilities,
  shareOf,
} from './common-options.ts'
import { type Bad, slipUs } from './definition.ts'
import { isSameRate } from './mixed-rates.ts'
import type { CountOption, DeclaredOptions, DurationOption, ReadOptions } from './options.ts'
import { inRedis, strategyFrom } from './strategy-from.ts'
import { fitsWindow } from './window.ts'

/** The token bucket and the leaky bucket are one algorithm with two names. */
export interface BucketOptions extends Debt {
  /** The most that fits at once. */
  capacity: number
  /** Units per period that become available again, continuously. */
  count: number
  /** Such as '1m'; a number is milliseconds. */
  period: Duration
}

type BucketAbility = 'reserve' | 'refund' | 'penalize' | 'reward'

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}

export const bucketCapacity: CountOption = like(limit, { example: 30 })

export const bucketCount: CountOption = like(limit, { example: 10 })

export const bucketPeriod: DurationOption = like(period, { example: '1s' })

/** A bucket’s options, in the order in which they are shown. */
export const bucketOptions: DeclaredOptions<BucketOptions> = {
  capacity: bucketCapacity,
  count: bucketCount,
  period: bucketPeriod,
  maxDebt,
}

export function bucketNumbers(read: ReadOptions<BucketOptions>, bad: Bad, empty = false): Numbers {
  const { periodUs, maxDebtUs } = read
  // Units that never come back are none from the beginning: a count of 0 makes a capacity of 0.
  const [capacity, count] = read.count === 0 ? [0, 1] : [read.capacity, read.count]
  const divisor = greatestCommonDivisor(count, periodUs)
  const flow = count / divisor
  const parts = periodUs / divisor
  if (capacity * parts >= 2 ** 52) {
    const most = Math.floor((2 ** 52 - 1) / parts)
    bad('capacity', `at most ${most} at this rate (beyond it whole numbers are not exact)`)
  }
  return { flow, parts, capacity, empty, maxDebtUs }
}

function look(numbers: Numbers, state: State | undefined, nowUs: number, cost: number): BucketDraft {
  if (state !== undefined && isMixed(numbers, state) && !startsAnew(numbers, state, nowUs))
    return lookMixed(numbers, state, nowUs, cost)
  const { flow, parts, capacity: limit } = numbers
  const mixed = chosenAtFirst(numbers)
  const cutUs = cutOf(numbers, state, nowUs)
  const full = fullOf(numbers)
  const { used, back } = drain(numbers, state, nowUs)
  const added = cost * parts
  const room = full - used - added
  const fits = room >= 0
  const allowed = fits || cost === 0
  return {
    allowed,
    limit,
    remaining: Math.floor((fits ? room : Math.max(0, full - used)) / parts),
    retryAfterUs: allowed ? 0 : added > full ? null : Math.ceil(-room / flow),
    resetAfterUs: Math.ceil((fits ? used + added : used) / flow),
    used: fits ? used + added : Math.max(used, Math.min(used + added, mostOf(numbers))),
    parts,
    back,
    flow,
    mixed,
    cutUs,
  }
}

function stateOf(
  { parts, flow }: Numbers,
  { used, atUs, back = 0, mixed, cutUs }: Pick<State, 'used' | 'atUs'> & Partial<State>,
): State {
  return { used, atUs, parts, back, flow, mixed, cutUs }
}

/** The state of a new key with this many parts used; undefined for a bucket that starts full, as a new key then needs no state. */
function startedWith(used: number, numbers: Numbers, atUs: number): State | undefined {
  return numbers.empty ? stateOf(numbers, { used, atUs, mixed: chosenAtFirst(numbers) }) : undefined
}

function receiptOf({ used, atUs, parts, back, cutUs }: State): string {
  const receipt = `${used}:${instantText(atUs)}:${parts}:${back}`
  return cutUs === undefined ? receipt : `${receipt}:${cutUs}`
}

/* @__NO_SIDE_EFFECTS__ */
export function defineBucket<O extends BucketOptions>(own: {
  readonly name: string
  readonly code: string
  readonly options: DeclaredOptions<O>
  readonly numbers: (read: ReadOptions<O>, bad: Bad) => Numbers
}): (options: O) => Policy<BucketAbility> {
  return strategyFrom<O, Numbers, State, BucketDraft, BucketAbility>({
    name: own.name,
    code: own.code,
    refusalsLast: true,
    can: rateAbilities,
    reserving,
    options: own.options,
    numbers: own.numbers,
    limitOf: ({ capacity }) => capacity,
    windowUsOf: (numbers) => Math.ceil((fullOf(numbers) || numbers.parts) / numbers.flow),
    // Units used up to `us` later may be used together with units taken up to `us` after them: the capacity is less by what drains in `us`.
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
    chosen: asChosen,
    look,
    take: (_state, { used, parts, back, flow, mixed, cutUs }, { nowUs: atUs }) => ({
      used,
      atUs,
      parts,
      back,
      flow,
      mixed,
      cutUs,
    }),
    receipt: receiptOf,
    give(state, units, nowUs, { receipt, numbers }) {
      const [mine = 0, takenUs = 0, parts = 0, mineBack = 0, mineCutUs] = receipt.split(':').map(Number)
      if (!isSameRate(numbers, state)) return state
      const { used, back } = drain(numbers, state, nowUs)
      const cutUs = keptCut(state, nowUs)
      // Once the cut is over, what was charged before it has drained.
      const isCut = cutUs !== undefined && cutUs !== mineCutUs
      if (isCut || parts !== numbers.parts || back < mineBack) return state
      const mineNow = mine - (nowUs - takenUs) * numbers.flow
      // There may be a reservation: promised times must not move.
      const held = used + roomTaken(numbers, state, nowUs) > fullOf(numbers)
      if (held && used > mineNow) return state
      const free = held ? Number.POSITIVE_INFINITY : mineNow - (back - mineBack)
      const restored = Math.min(units * parts, used, state.used, free)
      return restored > 0 ? { ...state, used: state.used - restored, back: back + restored } : state
    },
    reward(numbers, state, units, nowUs) {
      if (startsAnew(numbers, state, nowUs)) return state
      if (isMixed(numbers, state)) return rewardMixed(numbers, state, units, nowUs)
      const { used, back } = drain(numbers, state, nowUs)
      if (used === 0) return state
      const restored = Math.min(units * numbers.parts, used)
      const cutUs = cutOf(numbers, state, nowUs)
      return stateOf(numbers, { used: used - restored, atUs: nowUs, back: back + restored, cutUs })
    },
    begin: (numbers, atUs) => startedWith(fullOf(numbers), numbers, atUs),
    unused: (numbers, atUs) => startedWith(0, numbers, atUs),
    raise(numbers, state, waitUs, nowUs) {
      const { flow, parts, capacity } = numbers
      const { used, back, mixed, cutUs } = look(numbers, state, nowUs, 0)
      const raised = Math.min((capacity - 1) * parts + waitUs * flow, mostOf(numbers))
      // A bucket that starts empty has used all there.
      const isNew = state === undefined ? numbers.empty : startsAnew(numbers, state, nowUs)
      if (raised <= used && !isNew) return state
      return stateOf(numbers, { used: Math.max(used, raised), atUs: nowUs, back, mixed, cutUs })
    },
    spacingUs: ({ parts, flow }, cost) => Math.ceil((cost * parts) / flow),
    repair(numbers, state, nowUs) {
      if (state.mixed !== undefined) return repairMixed(numbers, state, state.mixed, nowUs)
      if (numbers.chosen) return state
      const { used, back } = drain(numbers, state, Math.max(nowUs, state.atUs))
      const most = mostOf(numbers)
      if (state.atUs <= nowUs + slipUs && used <= most + slipUs * numbers.flow) return state
      return stateOf(numbers, {
        used: Math.min(used, most),
        atUs: nowUs,
        back,
        cutUs: cutOff(state),
      })
    },
    idleUs,
    packed: {
      width: 5,
      rest: {
        of: ({ mixed, cutUs }) => (mixed ?? cutUs) && { mixed, cutUs },
        into(state, rest = {}) {
          const { mixed, cutUs } = rest as Partial<State> // as `of` gave it
          state.mixed = mixed
          state.cutUs = cutUs
        },
      },
      blank: () => ({ used: 0, atUs: 0, parts: 1, back: 0, flow: 1, mixed: undefined, cutUs: undefined }),
      load(values, at, state) {
        state.used = values[at] ?? 0
        state.atUs = values[at + 1] ?? 0
        state.parts = values[at + 2] ?? 0
        state.back = values[at + 3] ?? 0
        state.flow = values[at + 4] ?? 0
      },
      save(values, at, { used, atUs, parts, back, flow }) {
        values[at] = used
        values[at + 1] = atUs
        values[at + 2] = parts
        values[at + 3] = back
        values[at + 4] = flow
      },
    },
    redis: inRedis(({ flow, parts, capacity, empty, maxDebtUs, chosen }) => [
      flow,
      parts,
      capacity,
      empty ? 1 : 0,
      maxDebtUs,
      chosen ? 1 : 0,
    ]),
  })
}
