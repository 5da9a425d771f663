/**
 * What the endpoint is told and answers, as JSON. Only clients of the same machine are served.
 *
 * - `POST /crowd` with a `RunOrder`: 201 with `OpenedRun`; 400 with the option's `path`; 409 while another run is open.
 * - `POST` to `OpenedRun.tickets` with `X-Visitor: NAME`: 201 with a `CrowdTicket`, or 429 as any limited route; 404 once the run has ended.
 * - `DELETE /crowd/RUN`: 204, the run has ended; 404 where it had ended before.
 * - `GET /crowd`: 200 with `EndpointState`.
 *
 * Whatever is turned away is `application/problem+json`.
 */
export interface RunOrder {
  /** 1 to 60 characters; the run's limiter is called `crowd TITLE`, or `crowd TITLE 2` where another of that title has just ended. */
  readonly title: string
  /** 1 to 4, by names of 1 to 40 letters, digits, spaces, dots, dashes and underscores. */
  readonly policies: { readonly [name: string]: PolicyOrder }
  /** After so many seconds the run ends by itself: 1 to 600. @default 60 */
  readonly seconds?: number | undefined
  /** How long an admitted visitor stays before he is answered: 0 to 10,000. For policies of what is under way. @default 0 */
  readonly visitMs?: number | undefined
}

/**
 * A policy as `policyFrom` takes it, and what the endpoint asks it.
 *
 * @example { strategy: 'uniform', interval: '10s', key: 'visitor' }
 */
export interface PolicyOrder {
  readonly strategy: string
  /** Counts and refuses nobody. @default false */
  readonly shadow?: boolean | undefined
  /** Whom it counts together. @default 'everybody' */
  readonly key?: CountedTogether | undefined
  readonly [option: string]: unknown
}

export type CountedTogether = 'visitor' | 'everybody'

export interface OpenedRun {
  readonly run: string
  /** Its limiter's name, which is the title of its rows on the dashboard. */
  readonly limiter: string
  /** Where this run sells its tickets: a path. */
  readonly tickets: string
  readonly seconds: number
}

/** Sold to a visitor whom the limiter has let through. */
export interface CrowdTicket {
  readonly run: string
  readonly visitor: string
  /** When the limiter was asked and when it had answered, on one clock of the server that never steps back: the decision lies between. */
  readonly askedUs: number
  readonly answeredUs: number
}

export interface RunState extends OpenedRun {
  readonly title: string
  readonly endsInMs: number
  readonly admitted: number
  readonly refused: number
}

export interface EndpointState {
  /** null: the endpoint is free. */
  readonly open: RunState | null
}
