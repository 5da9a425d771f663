import type { Framework, RuleName } from './settings.ts'

/** Kinds of callers: a new address each time, one that has used up its hour, some that soon will have, one that asks for far too much. */
export type Caller = 'first-time' | 'exhausted' | 'hoarding' | 'busy'

/** A request as it is planned. */
export interface Ask {
  readonly caller: Caller
  /** The client's address. */
  readonly key: string
  readonly rule: RuleName
}

/** A request and its result. All times are from the machine's monotonic clock, which its processes share. */
export interface Exchange extends Ask {
  readonly framework: Framework
  /** The number of the framework's process. */
  readonly server: number
  readonly dueAtMs: number
  readonly sentAtMs: number
  readonly answeredAtMs: number
  /** From sending to the answer. */
  readonly waitMs: number
  /** The part that may be due to the machine: the server had no core, or the sender was late in reading the answer. */
  readonly stalledMs: number
  /** 0: no answer. */
  readonly status: number
  /** What decided about the request if it was admitted; otherwise the body or the error. */
  readonly text: string
  /** `Retry-After` and the fields that begin with `X-RateLimit`, by their names in lower case. */
  readonly fields: { readonly [name: string]: string }
}

/** Milliseconds on the clock of all exchanges. */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
