import { hungUp } from '../history/asking.ts'
import type { CallRecord } from '../history/record.ts'
import type { World } from '../history/world.ts'
import { shown, stillUs } from './facts.ts'
import type { Invariant } from './invariant.ts'

const mayReject = [
  'set',
  'block',
  'unblock',
  'reset',
  'inspect',
  'deny',
  'refuse',
  'allow',
  'unlist',
  'change',
  'restore',
]

function codeOf({ error }: CallRecord): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

/** Whether a caller that waits was told that its limiter was closed. */
export function hearsOfClosing({ leaving }: World, call: CallRecord): boolean {
  const { operation, process } = call.plan
  return operation === 'wait' && leaving.has(process) && codeOf(call) === 'SLUICE_CLOSED'
}

/** Nothing throws into a request; only a change by hand may reject because the store does not answer. */
export const noErrors: Invariant = {
  name: 'no error of its own',
  *breaches(world) {
    for (const call of world.record.calls) {
      const { error, plan } = call
      if (error === undefined || (error === hungUp && call.hungUpUs !== undefined)) continue
      if (hearsOfClosing(world, call)) continue
      if (!mayReject.includes(plan.operation) || codeOf(call) !== 'SLUICE_STORE')
        yield `${shown(call)}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
    }
  },
}

/** How late timers may be, and what is under way when a limiter closes. */
const graceUs = 50_000

/** A process that closes ends all waits, once the store has answered or failed to. */
export const closingEndsWaits: Invariant = {
  name: 'nobody waits on when a limiter is closed',
  *breaches(world) {
    const { closes, deadlineMs, connectDeadlineMs } = world.plan.scenario
    if (closes === undefined || world.processes[closes.process]?.machine.dead !== false) return
    for (const call of world.record.calls) {
      const { plan, askedUs, answeredUs = Number.POSITIVE_INFINITY } = call
      if (plan.process !== closes.process || plan.operation !== 'wait') continue
      const stoodUs = stillUs(world, plan.process, askedUs, answeredUs)
      // A process that stood still makes its calls when it goes on.
      const fromUs = Math.max(closes.atUs, askedUs)
      const lastUs = fromUs + (deadlineMs + connectDeadlineMs) * 1000 + 2 * stoodUs + graceUs
      if (answeredUs > lastUs) yield `${answeredUs - lastUs} µs too late: ${shown(call)}`
    }
  },
}

/** Once everything is closed, no timer is left, nothing is under way, and no place is held. */
export const nothingLeft: Invariant = {
  name: 'nothing is left at the end',
  *breaches(world) {
    for (const { nth, machine } of world.processes) {
      if (machine.dead) continue
      if (!world.closed.has(nth)) yield `process ${nth} is still closing`
      const { size } = machine.timers.active
      if (size > 0) yield `process ${nth} has ${size} timers`
      if (machine.immediates > 0) yield `process ${nth} has ${machine.immediates} immediates`
    }
    yield* world.loose
  },
}

/** Whether living processes have left nothing behind, so that the instance of the code can be used again. */
export function isClean(world: World): boolean {
  return [...nothingLeft.breaches(world)].length === 0
}
