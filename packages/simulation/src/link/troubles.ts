/** What is wrong with the way between a process and the server just now. */
export interface Troubles {
  /** The delay that is added to each way, in µs. */
  delayUs: number
  /** The share of requests that never arrive, where each goes its own way. */
  loseRequests: number
  /** The same share for replies. */
  loseReplies: number
  /** Whether new connections get no answer at all. */
  isBlocked: boolean
  /** Whether new connections are refused. */
  isRefused: boolean
}

export function noTroubles(): Troubles {
  return { delayUs: 0, loseRequests: 0, loseReplies: 0, isBlocked: false, isRefused: false }
}
