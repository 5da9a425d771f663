import type { Policies } from '@sluice/core'
import { Broadcaster } from '../src/broadcaster.ts'
import type { DashboardOptions } from '../src/index.ts'
import { type DashboardModel, modelOf } from '../src/model.ts'
import { readSettings } from '../src/options.ts'
import type { Recorded } from './recorded.ts'

/** A broadcaster that takes its steps when a test says so. */
export function broadcasterOf(
  recorded: Recorded,
  limiters: DashboardOptions['limiters'] = [],
): { broadcaster: Broadcaster; parts: DashboardModel } {
  const { query, nowMs, addEvent, events } = recorded
  const recorder = { query, nowMs, addEvent, events, watch: () => () => {} } as never // what a broadcaster asks of one
  const parts = modelOf(readSettings({ recorder, limiters }), () => recorded.clock * 1000)
  return { broadcaster: new Broadcaster({ ...parts, whileWatched: [] }), parts }
}

/** Limiters that are only shown, each with one policy `p`. */
export function limitersOf(policies: Policies): DashboardOptions['limiters'] {
  const none = async () => ({})
  const health = () => ({
    status: 'ok',
    store: 'memory',
    sinceMs: 0,
    failures: 0,
    lateReplies: 0,
    fallbackDecisions: 0,
  })
  return Object.entries(policies).map(
    ([name, p]) =>
      ({ name, policies: { p }, health, inspect: none, block: none, unblock: none, reset: none }) as never,
  )
}
