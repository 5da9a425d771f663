import { optionError } from '@sluice/core/internal'

/** One statement, as node-postgres takes it. */
export interface PostgresQuery {
  text: string
  values?: unknown[]
  /** The milliseconds after which it is given up, and its connection with it. */
  query_timeout?: number
}

/** A pool or a connection: it runs statements. */
export interface PostgresQueries {
  query(query: PostgresQuery): Promise<{ readonly rows: readonly unknown[] }>
}

/** A connection that a pool of node-postgres has lent. */
export interface PostgresClient extends PostgresQueries {
  on?(event: 'error', listener: (error: Error) => void): unknown
  off?(event: 'error', listener: (error: Error) => void): unknown
  /** true: the connection is closed, as a statement may still be under way. */
  release(broken?: boolean): void
}

/** The used members of a pool of node-postgres (`pg`): a `Pool`, or anything that runs each statement on a connection, and lends some. */
export interface PostgresPool extends PostgresQueries {
  /** A pool of node-postgres calls `lent` as soon as it lends a connection, and then returns no promise. */
  connect(
    lent?: (error: Error | undefined, client: PostgresClient | undefined) => void,
  ): Promise<PostgresClient> | undefined
  /** @default 10 connections */
  readonly options?: { readonly max?: number | undefined }
  on?(event: 'error', listener: (error: Error) => void): unknown
  off?(event: 'error', listener: (error: Error) => void): unknown
}

const expected = 'a Pool of pg, such as new Pool({ connectionString })'

/** Throws for what runs no statements, or lends no connection, such as a URL. */
export function checkPool(pool: unknown): void {
  const { query, connect } = Object(pool)
  if (typeof query !== 'function' || typeof connect !== 'function') throw optionError('pool', expected, pool)
}

/** Throws for a `Client`, which lends no connection, and with whose transactions counts would be rolled back. */
export function refuseClient(pool: PostgresPool): void {
  if ('escapeLiteral' in pool) throw optionError('pool', expected, pool)
}

/**
 * Lends a connection, whose errors `ended` hears from its first moment on. The pool itself hears them only while it has the connection,
 * and a promise of it is too late: PostgreSQL may end it in the same packet that makes it free, and an error that nobody hears ends
 * the process.
 */
export function lend(pool: PostgresPool, ended: (error: Error) => void): Promise<PostgresClient> {
  return new Promise((resolve, reject) => {
    const listen = (client: PostgresClient) => {
      client.on?.('error', ended)
      resolve(client)
    }
    const promised = pool.connect((error, client) => {
      if (client === undefined) reject(error)
      else listen(client)
    })
    promised?.then(listen, reject)
  })
}
