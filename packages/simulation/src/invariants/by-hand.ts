import type { Answer, CallRecord } from '../history/record.ts'
import { factsOf, isManaged, shown } from './facts.ts'
import type { Invariant } from './invariant.ts'

const lifting = ['unblock', 'reset', 'block']

/** Whether the block may have been changed before the call was answered; if the process that did so died, its call has no answer. */
function isLifted(
  managed: readonly CallRecord[],
  block: CallRecord,
  { answeredUs = 0 }: CallRecord,
): boolean {
  return managed.some(
    (other) =>
      other !== block &&
      lifting.includes(other.plan.operation) &&
      (other.answeredUs ?? Number.POSITIVE_INFINITY) >= block.askedUs &&
      other.askedUs <= answeredUs,
  )
}

/** Whether one of the policies has admitted the call by this process's count alone: the server, which may know of no block, took nothing. */
function isAdmittedHere({ source, said }: Answer): boolean {
  return source === 'fallback' && said.some(({ allowed, take }) => allowed && take === undefined)
}

/** While a block lasts, the process that has made it lets no caller with that key pass, whether or not the store answers. */
export const ownBlocksHold: Invariant = {
  name: 'what a process has blocked stays blocked in it',
  *breaches(world) {
    const { losses, clockSteps } = factsOf(world)
    const { policies, maxKeys } = world.plan.scenario
    if (clockSteps > 0 || maxKeys < 5 || policies.some(({ onStoreFailure }) => onStoreFailure !== 'local'))
      return
    const shadows = new Set(policies.filter(({ shadow }) => shadow).map(({ name }) => name))
    const managed = world.record.calls.filter(isManaged)
    for (const block of managed) {
      if (block.plan.operation !== 'block' || block.answeredUs === undefined) continue
      if (losses > 0 && block.error === undefined) continue
      const endUs = block.askedUs + block.plan.ms * 1000
      for (const call of managed) {
        if (call.plan.process !== block.plan.process || call.answer?.allowed !== true) continue
        if (isLifted(managed, block, call)) continue
        // Policies in shadow refuse nobody, and others may not apply to the call.
        if (call.answer.said.every(({ policy }) => shadows.has(policy))) continue
        if (block.error !== undefined && !isAdmittedHere(call.answer)) continue
        if (
          call.askedUs > block.answeredUs &&
          (call.answeredUs ?? 0) < endUs - 1000 &&
          call.plan.operation !== 'wait'
        )
          yield `${shown(call)}, after ${shown(block)}`
      }
    }
  },
}
