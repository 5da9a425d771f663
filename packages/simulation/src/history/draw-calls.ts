import type { Random } from '../random.ts'
import { managedKey } from './managed.ts'
import type { CallPlan, FaultPlan, Operation, PolicyPlan, Scenario } from './plan.ts'

const usualKeys = 3

const byHand: readonly Operation[] = [
  'penalize',
  'reward',
  'set',
  'block',
  'block',
  'unblock',
  'reset',
  'inspect',
]

/** The operations that the policies of a limiter have, the usual ones several times. */
export function operationsOf({ policies, charge }: Scenario): readonly Operation[] {
  const usual: Operation[] = ['check', 'check', 'check', 'check', 'check', 'peek']
  if (policies.every((policy) => policy.strategy === 'concurrency'))
    return ['hold', 'hold', 'hold', 'wait', 'peek']
  if (policies.some(({ strategy }) => strategy === 'concurrency')) return ['hold']
  usual.push('refund', 'settle')
  if (policies.every(canReserve) && charge === 'all-or-nothing') usual.push('reserve', 'wait', 'cancel')
  return usual
}

export function canReserve({ strategy }: PolicyPlan): boolean {
  return ['uniform', 'gcra', 'tokenBucket', 'leakyBucket'].includes(strategy)
}

/** The operations and keys that the callers of a history prefer. */
interface Habit {
  readonly operations: readonly Operation[]
  /** The share of calls that ask for the managed key. */
  readonly managed: number
}

function drawHabit(random: Random, scenario: Scenario): Habit {
  const operations = operationsOf(scenario)
  if (!operations.includes('refund')) return { operations, managed: 0 }
  if (random.chance(0.12)) return { operations, managed: 0.6 }
  return { operations: random.chance(0.25) ? ['check', 'check', 'refund'] : operations, managed: 0.08 }
}

/** Half of the clumps come while something is wrong, or a little before or after; some processes are asked at once. */
function drawClumpUs(random: Random, faults: readonly FaultPlan[], { fromUs, untilUs }: Span): number {
  if (random.chance(0.05)) return 0
  if (faults.length === 0 || random.chance(0.5)) return random.whole(fromUs, untilUs)
  const fault = random.one(faults)
  const lastsUs = 'forMs' in fault ? fault.forMs * 1000 : 0
  return Math.max(0, fault.atUs + random.whole(-100_000, lastsUs + 400_000))
}

interface Span {
  readonly fromUs: number
  readonly untilUs: number
}

/** In some histories all calls come within the time for which a process remembers a refusal, and a little more. */
function drawSpan(random: Random, untilUs: number): Span {
  if (random.chance(0.7)) return { fromUs: 0, untilUs }
  const fromUs = random.whole(0, untilUs - denseUs)
  return { fromUs, untilUs: fromUs + denseUs }
}

const denseUs = 1_500_000

/** Draws the calls: some by themselves and some at one instant, as requests come. */
export function drawCalls(
  random: Random,
  { scenario, faults }: { readonly scenario: Scenario; readonly faults: readonly FaultPlan[] },
  untilUs: number,
): readonly CallPlan[] {
  const { operations, managed } = drawHabit(random, scenario)
  const calls: Omit<CallPlan, 'nth'>[] = []
  const keys = random.whole(1, usualKeys)
  const hot = random.chance(0.5)
  const span = drawSpan(random, untilUs)
  for (let clump = random.whole(3, 7); clump > 0; clump--) {
    const atUs = drawClumpUs(random, faults, span)
    const spreadUs = random.one([0, 500, 20_000, 400_000])
    const most = scenario.aheadMs > 0 ? 16 : 8
    for (let count = random.one([1, most / 4, most / 2, most]); count > 0; count--) {
      const isManaged = random.chance(managed)
      const operation = isManaged && random.chance(0.6) ? random.one(byHand) : random.one(operations)
      calls.push({
        atUs: atUs + random.whole(0, spreadUs),
        process: random.whole(0, scenario.processes - 1),
        operation,
        key: isManaged ? managedKey : hot && random.chance(0.7) ? 0 : random.whole(0, keys - 1),
        cost: random.chance(0.8) ? 1 : random.whole(1, 3),
        ms: random.one([1, 20, 150, 700]),
      })
    }
  }
  calls.sort((a, b) => a.atUs - b.atUs)
  return calls.map((call, nth) => ({ ...call, nth, operation: partInPlaceOf(call, nth, scenario) }))
}

/** Makes some calls that cost more take as many units as fit. Nothing is drawn for that, so that all else stays as it was drawn. */
function partInPlaceOf(
  { operation, cost }: Omit<CallPlan, 'nth'>,
  nth: number,
  { policies }: Scenario,
): Operation {
  const canPart = policies.every(({ strategy }) => strategy !== 'concurrency' && strategy !== 'uniform')
  return canPart && operation === 'check' && cost > 1 && nth % 3 > 0 ? 'part' : operation
}
