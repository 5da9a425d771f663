import type { StoreError } from '@sluice/core'
import { storeError } from '@sluice/core/internal'
import type { StateWrite } from '@sluice/state'
import type { PostgresPool, PostgresQueries } from './pool.ts'
import type { TableNames } from './table.ts'

export interface Place {
  readonly pool: PostgresPool
  readonly names: TableNames
  readonly statementMs: number
}

export interface Row {
  /** null: nothing was read, as another transaction holds the key. */
  readonly now_us: string | number | bigint | null
  readonly key: string | null
  readonly state: string
  readonly version: string
}

/** States as they were read. */
export interface Snapshot {
  readonly keys: readonly string[]
  readonly nowUs: number
  /** When the snapshot arrived, on this process's clock. */
  readonly atMs: number
  readonly rows: ReadonlyMap<string | null, Row>
}

/** Why nothing was written: another transaction was first at a key, or it is too late. */
export type Hindered = { readonly heldKey: string } | 'late'

/** There is no such table, function or schema. */
const missing = ['42P01', '42883', '3F000']
/** Another transaction was first: serializable ones, those that wait for each other, and locks that take too long. */
const conflicts = ['40001', '40P01', '55P03']

/** The server's code of an error. */
export function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return ''
  if ('sqlState' in error) return String(error.sqlState)
  return 'code' in error ? String(error.code) : ''
}

/** An error with the message and the code of another, without its details: these may show keys, and an error may end up in a log. */
function withoutKeys(error: unknown): StoreError {
  const said = error instanceof Error ? error.message : String(error)
  return Object.assign(storeError('postgres', said), { sqlState: codeOf(error) })
}

export function isConflict(error: unknown): boolean {
  return conflicts.includes(codeOf(error))
}

export function snapshotOf(keys: readonly string[], rows: readonly Row[]): Snapshot {
  const byKey = new Map(rows.map((row) => [row.key, row]))
  return { keys, nowUs: Number(rows[0]?.now_us), atMs: performance.now(), rows: byKey }
}

export function statesOf({ keys, rows }: Snapshot): readonly (string | null)[] {
  return keys.map((key) => rows.get(key)?.state ?? null)
}

/** Reads states without a lock. */
export async function read(place: Place, keys: readonly string[]): Promise<Snapshot> {
  const text = `SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now_us, key, state, states.xmin::text AS version
    FROM (SELECT 1) AS one LEFT JOIN ${place.names.table} AS states ON key = ANY($1::text[])`
  return snapshotOf(keys, (await query(place, { text, values: [keys] })) as readonly Row[]) // as the statement says
}

/** Writes states, but not after `untilMs` of this process's clock, which is checked by the server's. undefined: they are written. */
export async function write(
  place: Place,
  { keys, nowUs, atMs, rows }: Snapshot,
  about: {
    readonly writes: readonly StateWrite[]
    readonly untilMs: number
    /** The longest wait for a row that another transaction has locked. */
    readonly lockMs: number
    readonly on?: PostgresQueries
  },
): Promise<Hindered | undefined> {
  const { writes, untilMs, lockMs, on } = about
  const untilUs = nowUs + Math.floor((untilMs - atMs) * 1000)
  const values = [
    keys,
    keys.map((key) => rows.get(key)?.version ?? null),
    writes.map(({ key }) => key),
    writes.map(({ state }) => state),
    writes.map(({ ttlMs }) => ttlMs),
    untilUs,
    lockMs,
  ]
  const text = `SELECT ${place.names.write}($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint, $7::int) AS hindered`
  const [row] = (await query(place, { text, values }, on)) as readonly { readonly hindered: string | null }[] // as the function says
  const hindered = row?.hindered ?? undefined
  if (hindered === undefined) return undefined
  return hindered === '' ? 'late' : { heldKey: hindered }
}

export async function query(
  place: Place,
  statement: { text: string; values?: unknown[] },
  on: PostgresQueries = place.pool,
): Promise<readonly unknown[]> {
  const { names, statementMs } = place
  try {
    return (await on.query({ ...statement, query_timeout: statementMs })).rows
  } catch (error) {
    if (!missing.includes(codeOf(error))) throw withoutKeys(error)
    const message = `there is no table ${names.table} with its function ${names.write}: call createTable(pool) once, or run the SQL that tableSql() answers`
    throw storeError('postgres', message, withoutKeys(error))
  }
}
