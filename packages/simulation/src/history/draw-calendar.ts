import type { Random } from '../random.ts'
import { startUs } from '../world/machine.ts'
import { calendarAt, calendars } from './calendars.ts'
import type { CallPlan, Operation, PolicyPlan, Scenario } from './plan.ts'

interface Following {
  readonly policies: readonly PolicyPlan[]
  readonly calls: readonly CallPlan[]
}

const dayMs = 86_400_000
/** Operations that policies with windows of a calendar have in common with others. */
const usual: readonly Operation[] = [
  'check',
  'part',
  'peek',
  'refund',
  'settle',
  'penalize',
  'reward',
  'set',
  'block',
  'unblock',
  'reset',
  'inspect',
]

/** Some histories have a policy with windows of a calendar, and callers that come around the end of one of them. */
export function drawCalendar(random: Random, scenario: Scenario, calls: readonly CallPlan[]): Following {
  const { policies } = scenario
  if (scenario.aheadMs > 0 || !random.chance(0.07)) return { policies, calls }
  const nth = random.whole(0, calendars.length - 1)
  const [first] = policies
  const own: PolicyPlan = {
    strategy: 'fixedWindow',
    limit: random.whole(1, 6),
    windowMs: dayMs,
    byClock: false,
    calendar: nth,
    name: 'p0',
    onStoreFailure: first?.onStoreFailure ?? 'local',
    shadow: false,
    blockForMs: 0,
  }
  const others = policies.filter(isUsual).slice(0, 1)
  const all = random.chance(0.3)
    ? [own, ...others.map((other) => ({ ...other, name: 'p1', shadow: false }))]
    : [own]
  const more = [...calls, ...drawAround(random, scenario, nth)].map((call): CallPlan => {
    const operation = usual.includes(call.operation) ? call.operation : 'check'
    return { ...call, operation }
  })
  return { policies: all, calls: more }
}

/** Whether a policy's callers do what those of windows do. */
function isUsual({ strategy }: PolicyPlan): boolean {
  return strategy !== 'concurrency' && strategy !== 'uniform'
}

/** Calls around the end of a window: so close to it that a call is under way when it comes, or not so close. */
function drawAround(random: Random, { processes }: Scenario, nth: number): readonly CallPlan[] {
  const endUs = Date.parse(calendarAt(nth).ends[1] ?? '') * 1000 - startUs
  return Array.from({ length: random.whole(2, 12) }, () => ({
    nth: 0,
    atUs: endUs + random.whole(-1, 1) * random.one([0, 200, 3000, 200_000]) + random.whole(-150, 150),
    process: random.whole(0, processes - 1),
    operation: random.one(['check', 'check', 'check', 'part', 'refund'] as const),
    key: random.whole(0, 1),
    cost: random.whole(1, 2),
    ms: random.one([1, 20, 150]),
  }))
}
