/**
 * What happens to the bytes between a client and a real server. A connection that has lost bytes stays silent, because TCP loses none
 * in mid-stream.
 */
export type Fault =
  /** All bytes pass. */
  | { readonly fault: 'none' }
  /** Connections are accepted and requests reach the server; nothing is ever answered. */
  | { readonly fault: 'silence' }
  /** Connections are accepted and stay open; nothing gets through in either direction. */
  | { readonly fault: 'blackhole' }
  /** Half of an answer, then the end of the connection. */
  | { readonly fault: 'hang up' }
  /** Answers are delayed by this time, in order. */
  | { readonly fault: 'delay'; readonly ms: number }
  /** Requests reach the server; answers wait, in their order, until the fault is another one. */
  | { readonly fault: 'hold answers' }
