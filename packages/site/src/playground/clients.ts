import type { Arrivals } from './arrival.ts'
import type { Run } from './simulate.ts'

/** What one client asked for and got. */
export interface Client {
  readonly key: string
  readonly asked: number
  readonly admitted: number
  /** The longest wait of an admitted request. */
  readonly longestWaitMs: number
}

/** More of them are no table. */
const mostClients = 6

/** Those who asked most first; none where there are more than fit, or only one. */
export function clientsOf({ arrivals }: Arrivals, { answers }: Run): readonly Client[] {
  const clients = new Map<string, Client>()
  for (const [i, { key }] of arrivals.entries()) {
    const { asked, admitted, longestWaitMs } = clients.get(key) ?? { asked: 0, admitted: 0, longestWaitMs: 0 }
    const { allowed = false, waitMs = 0 } = answers[i] ?? {}
    clients.set(key, {
      key,
      asked: asked + 1,
      admitted: admitted + (allowed ? 1 : 0),
      longestWaitMs: Math.max(longestWaitMs, waitMs),
    })
  }
  if (clients.size < 2 || clients.size > mostClients) return []
  return [...clients.values()].sort((a, b) => b.asked - a.asked)
}
