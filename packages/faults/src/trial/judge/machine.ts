import type { Course } from './course.ts'

/** The default deadline: who has no core for so long misses it, whatever it does. */
export const deadlineMs = 100
/** What the servers take of one core and of all is a seventh; with more it is they who keep others from running. */
const mostOfOne = 0.5
const mostOfAll = 0.5

/** Why what a trial has found may be the machine's fault alone; undefined where it cannot be. */
export function machineAtFault({ machine }: Course, stallMs: number): string | undefined {
  if (machine.mostOfOne > mostOfOne || machine.mostOfAll > mostOfAll) return undefined
  if (machine.longestStallMs <= stallMs) return undefined
  return `this machine had no core for a process for ${Math.round(machine.longestStallMs)} ms`
}

/** What was measured, for a finding that could be the machine's fault and is not. */
export function asMeasured({ machine }: Course): string {
  const percent = (share: number) => `${Math.round(share * 100)} %`
  const stall = `a process waited for a core for up to ${Math.round(machine.longestStallMs)} ms`
  return `${stall}, one server took up to ${percent(machine.mostOfOne)} of a core, all took ${percent(machine.mostOfAll)} of all`
}
