import type { Health } from '@sluice/core'
import type { Limited } from './limited.ts'
import type { Outages } from './outages.ts'
import type { StoreState } from './wire.ts'

const badness = { ok: 0, degraded: 1, down: 2 } as const
const unknown = {
  store: '',
  status: 'ok',
  sinceMs: 0,
  failures: 0,
  lateReplies: 0,
  fallbackDecisions: 0,
} as const

type StoreHealth = Pick<
  Health,
  'store' | 'status' | 'sinceMs' | 'failures' | 'lateReplies' | 'fallbackDecisions'
>

/** All stores behind the limiters as one: the worst status, and the sums of their counts. */
export function storeStateOf(limiters: readonly Limited[], outages: Outages, upMs: number): StoreState {
  const healths = healthsOf(limiters)
  const worst = healths.reduce(
    (a, b) => (badness[b.status] > badness[a.status] ? b : a),
    healths[0] ?? unknown,
  )
  const sum = (of: (health: StoreHealth) => number) => healths.reduce((all, health) => all + of(health), 0)
  if (healths.length > 0) outages.found(worst.store, worst.status === 'down' ? worst.sinceMs : null)
  const awayFromMs = outages.awayFromMs
  return {
    event: 'store',
    name: healths.length === 0 ? outages.awayStore : worst.store,
    // Without limiters, events are the only source.
    status: healths.length === 0 && awayFromMs !== null ? 'down' : worst.status,
    // A store without times has been well since the dashboard started.
    sinceMs: Math.floor(worst.sinceMs === 0 && worst.status === 'ok' ? upMs : worst.sinceMs),
    failures: sum((health) => health.failures),
    lateReplies: sum((health) => health.lateReplies),
    fallbackDecisions: sum((health) => health.fallbackDecisions),
    onFailure: outages.onFailure,
    localUnits: outages.localUnits,
    awayFromMs: awayFromMs === null ? null : Math.floor(awayFromMs),
  }
}

/** Each store once, however many limiters share it. */
function healthsOf(limiters: readonly Limited[]): readonly StoreHealth[] {
  const byStore = new Map<unknown, StoreHealth>()
  for (const limiter of limiters) {
    const store = 'store' in limiter ? limiter.store : limiter
    if (!byStore.has(store)) byStore.set(store, limiter.health())
  }
  return [...byStore.values()]
}
