import type { AskedPath, PathPart } from '@sluice/limits'
import { Counter, type Registry } from 'prom-client'
import type { Decide } from './decide.ts'

const help = 'Hits of descriptors and paths, by the place where they end and by what became of them.'

/** Counts each descriptor of a request, also those that no limit counts. No label contains what a client has sent. */
export function countingDescriptors(decide: Decide, register: Registry): Decide {
  const counter = new Counter({
    name: 'sluice_descriptor_hits_total',
    help,
    labelNames: ['descriptor', 'outcome'],
    registers: [register],
  })
  return async (asked) => {
    const together = await decide(asked)
    for (const [i, part] of together.parts.entries()) {
      const outcome = outcomeOf(part)
      if (outcome === undefined) continue
      counter.inc({ descriptor: part.end.place ?? 'unmatched', outcome }, hitsOf(asked[i]))
    }
    return together
  }
}

function hitsOf(asked: AskedPath | undefined): number {
  return asked?.cost ?? 1
}

/** undefined: its limits were not asked, as another descriptor is denied. */
function outcomeOf({ allowed, levels, end }: PathPart): string | undefined {
  switch (end.says) {
    case 'nothing':
      return allowed ? 'unmatched' : 'denied'
    case 'deny':
      return 'denied'
    case 'unlimited':
    case 'replaced':
      return end.says
    case 'limits':
      if (!allowed) return 'over'
      if (levels.length === 0) return undefined
      return levels.every((level) => level.allowed) ? 'within' : 'shadow'
  }
}
