import type { Policies } from '@sluice/core'
import { Hub } from '../src/hub.ts'
import type { DashboardOptions } from '../src/index.ts'
import { type DashboardModel, modelOf } from '../src/model.ts'
import { readSettings } from '../src/options.ts'
import type { Recorded } from './recorded.ts'

/** A hub that takes its steps when a test says so. */
export function hubOf(
  recorded: Recorded,
  limiters: DashboardOptions['limiters'] = [],
): { hub: Hub; parts: DashboardModel } {
  const recorder = { query: recorded.query, nowMs: recorded.nowMs, watch: () => () => {} } as never // what a hub asks of one
  const parts = modelOf(readSettings({ recorder, limiters }), () => recorded.clock * 1000)
  return { hub: new Hub({ ...parts, whileWatched: [] }), parts }
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
