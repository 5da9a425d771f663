/** One statement, as node-postgres takes it. */
export interface PostgresQuery {
  text: string
  values?: unknown[]
  /** After so many milliseconds it is given up, and its connection with it. */
  query_timeout?: number
}

/** What is needed of a pool of node-postgres (`pg`): a `Pool`, or anything that hands statements to one connection each. */
export interface PostgresPool {
  query(query: PostgresQuery): Promise<{ readonly rows: readonly unknown[] }>
  on?(event: 'error', listener: (error: Error) => void): unknown
  off?(event: 'error', listener: (error: Error) => void): unknown
}
