import type { EntryRecord, RunRecord } from '../history/record.ts'
import type { World } from '../history/world.ts'
import { factsOf, stillUs } from './facts.ts'
import type { Invariant } from './invariant.ts'

function grouped<K>(runs: readonly RunRecord[], keyOf: (run: RunRecord) => K): Map<K, RunRecord[]> {
  const groups = new Map<K, RunRecord[]>()
  for (const run of runs) {
    const known = groups.get(keyOf(run))
    if (known === undefined) groups.set(keyOf(run), [run])
    else known.push(run)
  }
  return groups
}

/** The server compares whole milliseconds of its clock with instants that are older by the time of one way. */
const roundUs = 2_000

/** An attempt follows one that threw, after a pause, or one whose member was not heard of for idleClaim; in calm times only the former. */
export const runsAgain: Invariant = {
  name: 'a job runs again only where it may',
  *breaches(world) {
    const { queue } = world.plan.scenario
    const { losses, clockSteps, isCalm } = factsOf(world)
    if (queue === undefined || losses > 0) return
    for (const [ticket, runs] of grouped(world.record.runs, (run) => run.ticket)) {
      for (const [i, run] of runs.entries()) {
        const before = runs[i - 1]
        const about = `attempt ${run.attempt} of ${ticket} by process ${run.process} at ${run.beganUs}`
        if (run.attempt > queue.maxAttempts) yield `${about}, of ${queue.maxAttempts}`
        if (before === undefined) {
          if (isCalm && run.attempt !== 1) yield `${about} is the first`
          continue
        }
        if (run.attempt <= before.attempt) {
          if (!stoodStill(world, run, before)) yield `${about}, after attempt ${before.attempt}`
          continue
        }
        const isLeft = before.process === queue.leaves?.process
        if (isCalm && !before.threw && !isLeft) yield `${about}, though the one before did not throw`
        // A member that leaves gives back at once the attempts that have ended meanwhile.
        const isOver = isLeft && before.endedUs !== undefined && before.endedUs <= run.beganUs
        const restUs = isOver ? 0 : run.beganUs - earliestUs(world, { run, before }, queue.idleClaimMs)
        if (clockSteps === 0 && restUs < -roundUs) yield `${about} began ${-restUs} µs too early`
      }
    }
  },
}

/** Whether the process got the job and stood still while another process worked on it. */
function stoodStill(world: World, run: RunRecord, before: RunRecord): boolean {
  return stillUs(world, run.process, 0, run.beganUs) > 0 && before.process !== run.process
}

/** When the next attempt begins at the earliest. */
function earliestUs(
  world: World,
  { run, before }: { readonly run: RunRecord; readonly before: RunRecord },
  idleClaimMs: number,
): number {
  const { process, attempt, beganUs, endedUs, threw } = before
  const idleUs = idleClaimMs * 1000
  // For another member: the server had given the job to the earlier one before that stood still.
  const lateUs = run.process === process ? 0 : stillUs(world, process, beganUs - idleUs, beganUs)
  const claimUs = beganUs + idleUs - lateUs
  if (!threw || endedUs === undefined) return claimUs
  const backUs = endedUs + 1000 * Math.min(idleClaimMs, 1000 * 2 ** (attempt - 1))
  return Math.min(claimUs, backUs)
}

/** A member runs as many at once as it was told to, one after another as far apart, and a last attempt alone. */
export const runsWithinBounds: Invariant = {
  name: 'a member runs no more at once than it may',
  *breaches({ plan, record }) {
    const { queue } = plan.scenario
    if (queue === undefined) return
    const { concurrency, minIntervalMs, maxAttempts } = queue
    for (const [process, runs] of grouped(record.runs, (run) => run.process)) {
      for (const [i, run] of runs.entries()) {
        const others = runs.slice(0, i).filter(({ endedUs = run.beganUs + 1 }) => endedUs > run.beganUs)
        const about = `attempt ${run.attempt} of ${run.ticket} by process ${process} at ${run.beganUs}`
        if (others.length >= concurrency) yield `${about}, beside ${others.length}`
        const isAlone = ({ attempt }: RunRecord) => attempt === maxAttempts && attempt > 1
        if (others.length > 0 && (isAlone(run) || others.some(isAlone))) yield `${about} is not alone`
        const sinceUs = run.beganUs - (runs[i - 1]?.beganUs ?? Number.NEGATIVE_INFINITY)
        if (sinceUs < minIntervalMs * 1000) yield `${about}, ${sinceUs} µs after the one before`
      }
    }
  },
}

/** First attempts of one member begin in the order in which the jobs have come to the server. */
export const firstInOrder: Invariant = {
  name: 'jobs are begun in the order of arrival',
  *breaches(world) {
    // A job that a member gives back as it leaves is begun later, as if it were new.
    if (factsOf(world).losses > 0 || world.plan.scenario.queue?.leaves !== undefined) return
    const place = placesOf(world.record.entries)
    for (const [process, runs] of grouped(world.record.runs, (run) => run.process)) {
      let latest = -1
      for (const { ticket, attempt, beganUs } of runs) {
        if (attempt > 1) continue
        const nth = place.get(ticket) ?? -1
        if (nth < latest) yield `${ticket} by process ${process} at ${beganUs}, after a later one`
        latest = Math.max(latest, nth)
      }
    }
  },
}

function placesOf(entries: readonly EntryRecord[]): ReadonlyMap<string, number> {
  const accepted = entries.filter(({ kind }) => kind === 'accepted')
  return new Map(accepted.map(({ ticket }, nth) => [ticket, nth]))
}
