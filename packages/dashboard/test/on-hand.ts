import { memoryStore, type Store } from '@sluice/core'
import { manualClock } from '@sluice/testing'
import type { DashboardOptions } from '../src/index.ts'
import { type DashboardModel, modelOf } from '../src/model.ts'
import { readSettings } from '../src/options.ts'
import { spans } from '../src/wire.ts'

export const [minute, fiveMinutes] = spans as unknown as readonly [Span, Span]
type Span = (typeof spans)[number]

/** All that a dashboard knows by what it has observed, on a clock that is moved by hand. */
export interface OnHand extends DashboardModel {
  readonly clock: ReturnType<typeof manualClock>
  readonly store: Store
  /** Seconds since 1970. */
  now(): number
}

export function onHand(options: Omit<DashboardOptions, 'recorder'> = {}): OnHand {
  const clock = manualClock()
  const nowMs = () => clock.nowUs() / 1000
  const recorder = {
    query: async () => [],
    nowMs,
    watch: () => () => {},
    addEvent: () => {},
    events: async () => [],
  } as never // what parts ask of one
  const parts = modelOf(readSettings({ ...options, recorder }), nowMs)
  return { ...parts, clock, store: memoryStore({ clock }), now: () => nowMs() / 1000 }
}
