import { hungUp } from '../history/asking.ts'
import type { World } from '../history/world.ts'
import { shown } from './facts.ts'
import type { Invariant } from './invariant.ts'

const mayReject = ['set', 'block', 'unblock', 'reset', 'inspect', 'deny', 'refuse', 'allow', 'unlist']

/** Nothing throws into a request; only a change by hand may reject because the store does not answer. */
export const noErrors: Invariant = {
  name: 'no error of its own',
  *breaches({ record }) {
    for (const call of record.calls) {
      const { error, plan } = call
      if (error === undefined || (error === hungUp && call.hungUpUs !== undefined)) continue
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (!mayReject.includes(plan.operation) || code !== 'SLUICE_STORE')
        yield `${shown(call)}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
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
