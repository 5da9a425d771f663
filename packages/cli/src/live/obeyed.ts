import type { RunningProcess } from '@sluice/operations'
import { oneLine } from '../one-line.ts'

/** Warns of running limiters that do not go by the lists, when something is put on one. */
export function sayUnobeyed(processes: readonly RunningProcess[], only: string | undefined): void {
  for (const line of unobeyedLines(processes, only)) console.error(`warning: ${line}`)
}

function unobeyedLines(processes: readonly RunningProcess[], only: string | undefined): readonly string[] {
  const limiters = processes.flatMap((each) => each.limiters)
  const concerned = limiters.filter(({ name }) => only === undefined || name === only)
  if (processes.length === 0) return ['no process has written here within the last 15 s']
  if (concerned.length === 0) return [`no running process has a limiter "${oneLine(only ?? '')}"`]
  const apart = new Set(concerned.filter(({ listed }) => !listed).map(({ name }) => oneLine(name)))
  if (apart.size === 0) return []
  const names = `${[...apart].slice(0, 5).join(', ')}${apart.size > 5 ? ', …' : ''}`
  return [`the lists are not obeyed by ${names}: its option \`lists\` needs [ops.lists] of operations()`]
}
