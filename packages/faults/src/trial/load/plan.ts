import type { Ask, Caller } from '../exchange.ts'

/** The requests that each process gets again and again, evenly spread over an eighth of a second; a hoarder sends three at once. */
const moments: readonly (readonly Caller[])[] = [
  ['first-time'],
  ['exhausted'],
  ['busy'],
  ['first-time'],
  ['hoarding', 'hoarding', 'hoarding'],
  ['exhausted'],
  ['first-time'],
  ['busy'],
  ['exhausted'],
  ['first-time'],
]

const roundMs = 125
const round = moments.flatMap((callers, i) => {
  return callers.map((caller) => ({ caller, afterMs: (i * roundMs) / moments.length }))
})

/** How many hoarders there are at a time, each a second older than the next: at any time one has just begun, and one has had its limit. */
const hoarders = 3

/** A request, and how long after the load began it is due. */
export interface Planned {
  readonly dueMs: number
  readonly ask: Ask
}

/** The nth request to a process. Both processes get the same but for their first-time callers. */
export function planned(nth: number, server: number): Planned {
  const rounds = Math.floor(nth / round.length)
  const { caller, afterMs } = round[nth % round.length] ?? { caller: 'first-time', afterMs: 0 }
  return { dueMs: rounds * roundMs + afterMs, ask: askOf(caller, { nth, server, rounds }) }
}

function askOf(
  caller: Caller,
  { nth, server, rounds }: { nth: number; server: number; rounds: number },
): Ask {
  switch (caller) {
    case 'first-time':
      return { caller, key: `10.${server}.${nth >> 8}.${nth & 255}`, rule: 'hour' }
    case 'exhausted':
      return { caller, key: '203.0.113.1', rule: 'hour' }
    case 'busy':
      return { caller, key: '203.0.113.2', rule: 'second' }
    case 'hoarding': {
      const begun = Math.floor((rounds * roundMs) / 1000)
      return { caller, key: `198.51.100.${begun - (rounds % hoarders) + hoarders}`, rule: 'hour' }
    }
  }
}
