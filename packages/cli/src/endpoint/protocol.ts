/**
 * The JSON of the endpoint's requests and responses. Only clients on the same machine are served.
 *
 * - `POST /crowd` with a `RunOrder`: 201 with `OpenedRun`; 400 with the option's `path`; 409 while another run is open.
 * - `POST` to `OpenedRun.tickets` with `X-Visitor: NAME`: 201 with a `CrowdTicket`, or 429 like any limited route; 404 after the run has ended.
 * - `DELETE /crowd/RUN`: 204, the run has ended; 404 if it had ended before.
 * - `GET /crowd`: 200 with `EndpointState`.
 *
 * Errors are `application/problem+json`.
 */
export interface RunOrder {
  /** 1 to 60 characters; the run's limiter is called `crowd TITLE`, or `crowd TITLE 2` if one with that title has just ended. */
  readonly title: string
  /** 1 to 4, by names of 1 to 40 letters, digits, spaces, dots, dashes and underscores. */
  readonly policies: { readonly [name: string]: PolicyOrder }
  /** The run ends automatically after this time: 1 to 600. @default 60 */
  readonly seconds?: number | undefined
  /** Delay before an admitted visitor is answered: 0 to 10,000. For policies that count requests in flight. @default 0 */
  readonly visitMs?: number | undefined
}

/**
 * A policy as `policyFrom` takes it, with options for the endpoint.
 *
 * @example { strategy: 'uniform', interval: '10s', key: 'visitor' }
 */
export interface PolicyOrder {
  readonly strategy: string
  /** Counts and refuses nobody. @default false */
  readonly shadow?: boolean | undefined
  /** Whether it counts each visitor separately or all together. @default 'everybody' */
  readonly key?: CountedTogether | undefined
  readonly [option: string]: unknown
}

export type CountedTogether = 'visitor' | 'everybody'

export interface OpenedRun {
  readonly run: string
  /** The limiter's name, which is the title of its rows on the dashboard. */
  readonly limiter: string
  /** The path for this run's tickets. */
  readonly tickets: string
  readonly seconds: number
}

/** The ticket of a visitor that the limiter has admitted. */
export interface CrowdTicket {
  readonly run: string
  readonly visitor: string
  /** Times when the limiter was asked and when it had answered, by a server clock that never steps back: the decision lies in between. */
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
  /** null if no run is open. */
  readonly open: RunState | null
}
