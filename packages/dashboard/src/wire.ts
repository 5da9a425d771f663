/**
 * The messages to the page, as server-sent events of one stream: `stream?span=300`, with `&rows=all` for more than `maxRows` rows.
 * Each is an unnamed event (`onmessage`) whose data is the JSON of one `Message`. All plain data; every number has its unit here.
 * The order after connecting: `hello`, `rows`, `history`, `keys`, `store`, `events`; then `second` each second, the others when they
 * change; while the past is still being read, only `store` comes, once a second. When rows join or many buckets change, `rows` and
 * `history` come again and replace everything.
 */

/** The most rows that are sent unless all are requested. */
export const maxRows = 50

/** Seconds that can be shown, with the length of a bucket in each. */
export const spans: readonly { readonly seconds: number; readonly stepSeconds: number }[] = [
  { seconds: 60, stepSeconds: 1 },
  { seconds: 300, stepSeconds: 1 },
  { seconds: 900, stepSeconds: 3 },
  { seconds: 3600, stepSeconds: 12 },
]

export interface Hello {
  readonly event: 'hello'
  /** The server's clock, since 1970. */
  readonly nowMs: number
  readonly spanSeconds: number
  readonly stepSeconds: number
  /** Whether this client may block, unblock and reset. */
  readonly mayManage: boolean
  readonly maskKeys: boolean
  /** Changes when the server restarts. */
  readonly boot: string
}

/** How windows are shaded behind a chart. `in-flight`: the upper lane shows what is in flight, not a sum over a window. */
type Shade = 'sliding' | 'fixed' | 'nested' | 'none' | 'in-flight'

/** One policy of one limiter. */
export interface RowInfo {
  /** Names `limiter` and `policy`, and differs from all other ids. */
  readonly id: string
  readonly limiter: string
  readonly policy: string
  /** `sliding window log`; empty if the policy is not known here. */
  readonly strategy: string
  /** `100 in 10 s`. */
  readonly rule: string
  /** The window of the upper lane: whole seconds, at most an hour. */
  readonly windowSeconds: number
  /** The dashed line: what one key may get in a window; null if there is none. */
  readonly limit: number | null
  readonly shade: Shade
  /** For `nested`: all windows, in seconds. */
  readonly windowsSeconds: readonly number[]
  /** Whether more than one key has been seen: then the upper lane shows what the fullest of those that asked had used. */
  readonly manyKeys: boolean
}

interface Rows {
  readonly event: 'rows'
  /**
   * In configuration order, followed by those of unknown limiters. If there are more than `maxRows`, those with the most refused in the span.
   * Empty until something has been decided.
   */
  readonly rows: readonly RowInfo[]
  /** How many there are in all; at most 2,000, and one more in which further ones are added up. */
  readonly count: number
  /** How many policies are added up in that one. */
  readonly cut: number
}

/** One row's buckets, the oldest first. */
export interface RowHistory {
  /** Units admitted in the window that ends with the bucket, or used by the fullest of many keys: the most within the bucket. */
  readonly inWindow: readonly number[]
  /** Units a second, over the bucket. */
  readonly admitted: readonly number[]
  readonly refused: readonly number[]
}

export interface History {
  readonly event: 'history'
  /** When the first bucket begins, in seconds since 1970; a multiple of the step. */
  readonly fromSecond: number
  readonly stepSeconds: number
  readonly rows: Readonly<Record<string, RowHistory>>
  readonly totals: Totals
  /** Spans of whole seconds in which something was decided without the store, since 1970; an open one ends with null. */
  readonly outages: readonly (readonly [fromSecond: number, toSecond: number | null])[]
  /** Ends of fixed windows by row, in seconds since 1970 with fractions. */
  readonly edges: Readonly<Record<string, readonly number[]>>
}

/** Each request once, in units. Over the span shown. */
export interface Totals {
  readonly admitted: number
  readonly refused: number
  /** Decided without the store. */
  readonly local: number
  /** The span of the same length before; null where it is not kept, as for an hour. */
  readonly before: { readonly admitted: number; readonly refused: number } | null
  readonly busiest: { readonly units: number; readonly atSecond: number } | null
  /** The first second that is known, as the recording cannot be read; null: the whole span is known. */
  readonly knownFromSecond: number | null
  /** Rows that refused in the last five seconds. */
  readonly refusingNow: number
  /** Keys that would be refused now, or are blocked. */
  readonly keysAtLimit: number
  /** For each row, over the span: admitted units, refused units, and the most in a window. */
  readonly rows: Readonly<
    Record<
      string,
      {
        readonly admitted: number
        readonly refused: number
        readonly most: number
        /** Units of both by group, such as the kind of request: the most first, at most five. */
        readonly groups?: readonly (readonly [name: string, units: number])[]
      }
    >
  >
}

/**
 * The bucket of the second that has just ended. A bucket may come several times, and replaces the earlier one: a longer step fills up,
 * and late writes of other processes correct the last ones. A row with only zeros in it is left out.
 */
export interface Second {
  readonly event: 'second'
  readonly nowMs: number
  /** When the bucket began, in seconds since 1970. */
  readonly fromSecond: number
  readonly rows: Readonly<
    Record<string, { readonly inWindow: number; readonly admitted: number; readonly refused: number }>
  >
  readonly totals: Totals
  readonly outages: History['outages']
  readonly edges: History['edges']
}

/** A key that has used 80 % or more, the fullest first; three or more of one network are one, with the numbers of the fullest. */
export interface NearKey {
  /** Sent back with an action; reveals nothing about the key. */
  readonly id: string
  readonly row: string
  readonly limiter: string
  readonly policy: string
  /** Masked unless the server shows keys. Of a network with several keys: `203.0.113.0/24 (7 keys)`. */
  readonly key: string
  /** For a network: what its keys begin with, to look for them; null for one key. An id of a network is of no use for an action. */
  readonly within: string | null
  readonly used: number
  readonly limit: number
  /** Time until it may pass again; null if it may pass now, or never. */
  readonly againInMs: number | null
  readonly blockedMs: number | null
  /** Units refused in the span shown, of all keys of a network. */
  readonly refused: number
}

export interface Keys {
  readonly event: 'keys'
  readonly keys: readonly NearKey[]
}

export interface StoreState {
  readonly event: 'store'
  /** `redis`, `memory` or a custom store's name; empty when no given limiter has one. */
  readonly name: string
  readonly status: 'ok' | 'degraded' | 'down'
  readonly sinceMs: number
  readonly failures: number
  readonly lateReplies: number
  readonly fallbackDecisions: number
  /** What limiters do while the store does not answer, `mixed` where not all do the same; it determines the banner's text. */
  readonly onFailure: 'local' | 'allow' | 'deny' | 'mixed'
  /** Decided without it by this process since it stopped answering; 0 while it answers. */
  readonly localUnits: number
  /** When it stopped answering, since 1970; null while it answers. */
  readonly awayFromMs: number | null
}

/** One line of Events. */
export interface EventLine {
  readonly atMs: number
  readonly mark: 'away' | 'live' | ''
  readonly title: string
  readonly text: string
  /** At the end of an outage: from when all counts are exact again, since 1970; the time of the event if they are at once. */
  readonly exactAtMs?: number
}

export interface Events {
  readonly event: 'events'
  /** The newest first, of the last 24 hours. */
  readonly events: readonly EventLine[]
}

export type Message = Hello | Rows | History | Second | Keys | StoreState | Events

/**
 * `POST inspect|block|unblock|reset` with this as JSON (`Content-Type: application/json`); `block` with `seconds`. Only where `mayManage`.
 * `inspect` answers 200 with `Inspected`, the others 204; a refusal is problem+json with a `detail` to show: 400 what was sent is wrong,
 * 403 not allowed, 404 the key is no longer shown or there is no such limiter or policy, 503 the store does not answer.
 */
export type KeyActionBody = (TypedKey | { readonly id: string }) & { readonly seconds?: number }

/** A key that was not sent by the server. A tree of limits has no `policy`: the path says which level is meant. */
interface TypedKey {
  readonly limiter: string
  readonly policy?: string
  readonly key: string | readonly string[]
}

/** `POST find` with `{ text, span }` answers 200 with this: the tracked keys that have the text, of all keys and not only those shown. */
export interface Found {
  readonly keys: readonly NearKey[]
  /** Limiters whose keys can be typed in; `policies` is null for a tree of limits. */
  readonly limiters: readonly { readonly name: string; readonly policies: readonly string[] | null }[]
}

/** The response to `inspect`. */
export interface Inspected {
  readonly key: string
  /** The key as it can be typed in; null if it is masked. */
  readonly whole: string | readonly string[] | null
  readonly limiter: string
  readonly policy: string
  readonly strategy: string
  readonly used: number
  readonly limit: number
  /** Time until a request for one unit passes: 0 now, null never. */
  readonly nextInMs: number | null
  /** Time until its whole limit is there again, and no block. */
  readonly fullInMs: number
  readonly blockedMs: number | null
  readonly banned: boolean
  /** The list that decides about the key, whatever its count; null if it is on none. */
  readonly listed: 'allow' | 'deny' | 'block' | null
  /** The notes with the most units first, if the strategy keeps them. */
  readonly entries: readonly { readonly note: string; readonly units: number }[]
}
