/** One statement, as node-postgres takes it. */
export interface PostgresQuery {
  text: string
  values?: unknown[]
  /** After so many milliseconds it is given up, and its connection with it. */
  query_timeout?: number
}

/** What runs statements. */
export interface PostgresQueries {
  query(query: PostgresQuery): Promise<{ readonly rows: readonly unknown[] }>
}

/** A connection that a pool of node-postgres has lent. */
export interface PostgresClient extends PostgresQueries {
  on?(event: 'error', listener: (error: Error) => void): unknown
  off?(event: 'error', listener: (error: Error) => void): unknown
  /** true: it is closed, as what it was asked may still be under way. */
  release(broken?: boolean): void
}

/** What is needed of a pool of node-postgres (`pg`): a `Pool`, or anything that hands statements to one connection each, and lends some. */
export interface PostgresPool extends PostgresQueries {
  connect(): Promise<PostgresClient>
  /** @default 10 connections */
  readonly options?: { readonly max?: number | undefined }
  on?(event: 'error', listener: (error: Error) => void): unknown
  off?(event: 'error', listener: (error: Error) => void): unknown
}
