import { Random } from '../random.ts'
import { drawApplied } from './draw-applied.ts'
import { drawBusy } from './draw-busy.ts'
import { drawCalendar } from './draw-calendar.ts'
import { drawCallers } from './draw-callers.ts'
import { drawCalls } from './draw-calls.ts'
import { drawChanges } from './draw-changes.ts'
import { drawChosen } from './draw-chosen.ts'
import { drawClosing } from './draw-closing.ts'
import { drawCluster } from './draw-cluster.ts'
import { drawCuts } from './draw-cuts.ts'
import { drawEmpty } from './draw-empty.ts'
import { drawEndings } from './draw-endings.ts'
import { drawFaults } from './draw-faults.ts'
import { drawLists } from './draw-lists.ts'
import { drawMoreEndings } from './draw-more-endings.ts'
import { drawQueue } from './draw-queue.ts'
import { drawReservable } from './draw-reservable.ts'
import { drawScenario } from './draw-scenario.ts'
import { drawUnit } from './draw-unit.ts'
import type { CallPlan, Plan, Scenario } from './plan.ts'

/** Until when calls come, but for those around a fault; no fault begins later. */
export const callsUntilUs = 6_000_000

/** The plan that a seed decides. Draws of a separate series leave all other draws as they are. */
export function drawPlan(seed: number): Plan {
  const random = new Random(seed)
  const [cutting, listing, clustering] = [random.apart(1), random.apart(2), random.apart(3)]
  const [queueing, reserving, dating] = [random.apart(4), random.apart(5), random.apart(6)]
  const [counting, calling, filling] = [random.apart(7), random.apart(8), random.apart(9)]
  const [busying, choosing, ending] = [random.apart(10), random.apart(11), random.apart(12)]
  const [applying, closing, changing] = [random.apart(13), random.apart(14), random.apart(15)]
  const giving = random.apart(16)
  const scenario = drawScenario(random)
  const faults = drawFaults(random, scenario, callsUntilUs)
  const drawn = drawCalls(random, { scenario, faults }, callsUntilUs)
  const dated = drawCalendar(dating, scenario, drawn)
  const reserved = drawReservable(reserving, { ...scenario, policies: dated.policies }, dated.calls)
  const cuts = drawCuts(cutting, scenario, callsUntilUs)
  const lists = drawLists(listing, scenario, callsUntilUs)
  const { cluster, faults: moves } = drawCluster(clustering, scenario, callsUntilUs)
  const {
    queue,
    jobs,
    faults: blows,
  } = drawQueue(queueing, { ...scenario, policies: dated.policies }, callsUntilUs)
  const busy = drawBusy(busying, { ...scenario, policies: reserved.policies }, callsUntilUs)
  const usual = inOrder(busy?.calls ?? [...reserved.calls, ...cuts.calls])
  const { policies: counted, calls, scale } = drawUnit(counting, reserved.policies, usual)
  const filled = drawEmpty(filling, counted, scenario)
  const isListed = lists.calls.length > 0 && cluster === undefined && busy === undefined
  const isQueued = queue !== undefined && cluster === undefined && busy === undefined
  const called = drawCallers(calling, filled, inOrder([...calls, ...(isListed ? lists.calls : [])]))
  const asked = { ...scenario, policies: filled, scale, queue: isQueued ? queue : undefined }
  const { policies, chosen, calls: allCalls } = drawChosen(choosing, asked, called)
  const applied = drawApplied(applying, { policies, scale }, drawEndings(ending, scale, allCalls))
  const ended = drawMoreEndings(giving, policies, applied)
  const { processes } = busy ?? scenario
  const { closes, calls: made } = drawClosing(closing, { processes, queue: asked.queue }, ended)
  const wrong = [...(busy?.faults ?? [...faults, ...cuts.faults, ...moves]), ...(isQueued ? blows : [])]
  const inTurn = wrong.sort((a, b) => a.atUs - b.atUs)
  const whole: Scenario = {
    ...scenario,
    ...(busy !== undefined && inProcesses(busy.processes, scenario)),
    policies,
    ...(scale > 1 && { scale }),
    ...(chosen.length > 0 && { chosen }),
    ...(isListed && { lists: true }),
    ...(cluster !== undefined && { cluster }),
    ...(isQueued && { queue }),
    ...(closes !== undefined && { closes }),
  }
  const changed = drawChanges(changing, whole, { calls: made, faults: inTurn })
  return {
    seed,
    scenario: {
      ...whole,
      ...(changed.changes === true && { chosen: changed.chosen, changes: true }),
    },
    ...(isQueued && { jobs }),
    calls: changed.calls,
    faults: inTurn,
  }
}

function inProcesses(processes: number, { shares }: Scenario): Pick<Scenario, 'processes' | 'shares'> {
  return { processes, shares: shares > 0 ? processes : 0 }
}

function inOrder(calls: readonly Omit<CallPlan, 'nth'>[]): readonly CallPlan[] {
  return [...calls].sort((a, b) => a.atUs - b.atUs).map((call, nth) => ({ ...call, nth }))
}
