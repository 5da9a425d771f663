import type { Timeline } from '../comparison.ts'
import { day, dayMs, secondMs, time } from '../words.ts'

/** The time axis that all charts share. */
export interface TimeAxis {
  readonly fromMs: number
  readonly toMs: number
  readonly stepMs: number
  /** Distance between grid lines. */
  readonly everyMs: number
  readonly ticks: readonly { readonly ms: number; readonly label: string }[]
}

const maxTicks = 7
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const tidyMs = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * secondMs),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * minuteMs),
  ...[1, 2, 3, 6, 12].map((hours) => hours * hourMs),
  ...[1, 2, 7, 14, 28, 91].map((days) => days * dayMs),
]

export function timeAxisOf({ fromMs, stepMs, offered }: Timeline): TimeAxis {
  const toMs = fromMs + Math.max(1, offered.length) * stepMs
  const spanMs = toMs - fromMs
  const everyMs = tidyMs.find((ms) => spanMs / ms <= maxTicks) ?? Math.ceil(spanMs / maxTicks / dayMs) * dayMs
  const ticks: { ms: number; label: string }[] = []
  for (let ms = Math.ceil(fromMs / everyMs) * everyMs; offered.length > 0 && ms <= toMs; ms += everyMs) {
    ticks.push({ ms, label: labelOf(ms, everyMs) })
  }
  return { fromMs, toMs, stepMs, everyMs, ticks }
}

function labelOf(ms: number, everyMs: number): string {
  if (everyMs >= dayMs) return day(ms).slice(5)
  return everyMs >= minuteMs ? time(ms).slice(0, 5) : time(ms)
}
