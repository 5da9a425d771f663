import type { Course } from './course.ts'

/** The default deadline: a process without a core for so long misses it, whatever it does. */
export const deadlineMs = 100
/** Servers usually take a seventh of one core and of all cores; with more than these shares they keep others from running. */
const mostOfOne = 0.5
const mostOfAll = 0.5

/** Why the findings of a trial may be the machine's fault alone; undefined where they cannot be. */
export function machineAtFault({ machine }: Course, stallMs: number): string | undefined {
  if (machine.mostOfOne > mostOfOne || machine.mostOfAll > mostOfAll) return undefined
  if (machine.longestStallMs <= stallMs) return undefined
  return `this machine had no core for a process for ${Math.round(machine.longestStallMs)} ms`
}

/** What was measured of the machine, for a finding that could be its fault and is not. */
export function asMeasured({ machine }: Course): string {
  const percent = (share: number) => `${Math.round(share * 100)} %`
  const stall = `a process waited for a core for up to ${Math.round(machine.longestStallMs)} ms`
  return `${stall}, one server took up to ${percent(machine.mostOfOne)} of a core, all took ${percent(machine.mostOfAll)} of all`
}
