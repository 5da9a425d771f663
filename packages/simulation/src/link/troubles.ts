/** What is wrong with the way between a process and the server just now. */
export interface Troubles {
  /** Added to each way, in µs. */
  delayUs: number
  /** The part of requests that never arrive, where each goes its own way. */
  loseRequests: number
  /** The same of replies. */
  loseReplies: number
  /** New connections meet nobody, and say nothing. */
  isBlocked: boolean
  /** New connections are refused. */
  isRefused: boolean
}

export function noTroubles(): Troubles {
  return { delayUs: 0, loseRequests: 0, loseReplies: 0, isBlocked: false, isRefused: false }
}
