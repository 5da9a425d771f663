/** How much a request matters: sheddable ones are refused first, critical ones last. */
export type Priority = 'critical' | 'default' | 'sheddable'

/** A request that was refused to keep the others within their time. */
export interface Shed {
  readonly allowed: false
  readonly priority: Priority
  /** What was too much: the event loop was late, the request had waited, or no place was free. */
  readonly reason: 'event-loop' | 'queueing' | 'limit'
  /** When to come again: a random time, different for each request. */
  readonly retryAfterMs: number
}
