import type { StateWrite, Transact } from '@sluice/core'
import { storeError } from '@sluice/core/internal'
import type { PostgresPool } from './pool.ts'
import type { TableNames } from './table.ts'
import { Turns } from './turns.ts'

export interface Place {
  readonly pool: PostgresPool
  readonly names: TableNames
  readonly statementMs: number
}

interface Row {
  readonly now_us: string | number | bigint
  readonly key: string | null
  readonly state: string
  readonly version: string
}

interface Snapshot {
  readonly nowUs: number
  readonly rows: ReadonlyMap<string | null, Row>
}

/** There is no such table, function or schema. */
const missing = ['42P01', '42883', '3F000']
/** Where the database's transactions are serializable: another one was first. */
const conflicts = ['40001', '40P01']

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
}

/**
 * Reads without a lock, and writes if nothing has changed since: a refusal is one round trip, a charge two, and a process that
 * stands still holds up no other. The time is read with the states: whoever writes later has read a later one.
 */
export function transactIn(place: Place): Transact {
  const turns = new Turns()
  return async function transact(keys, change) {
    const startedMs = performance.now()
    let changed = await attempt()
    while (typeof changed === 'string') {
      if (performance.now() - startedMs > place.statementMs)
        throw storeError('postgres', `other processes have changed ${changed} again and again`)
      // In this process one at once goes on trying: others can win against it, but not all of them at each other's cost.
      changed = await turns.run(changed, attempt)
    }
    return changed.result

    /** A key that somebody else has changed meanwhile, or what has come of it. */
    async function attempt() {
      const { nowUs, rows } = await read(place, keys)
      const { result, writes } = change(
        keys.map((key) => rows.get(key)?.state ?? null),
        nowUs,
      )
      const other = writes.length === 0 ? null : await write(place, { keys, rows, writes })
      return other ?? { result }
    }
  }
}

async function read(place: Place, keys: readonly string[]): Promise<Snapshot> {
  const text = `SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now_us, key, state, states.xmin::text AS version
    FROM (SELECT 1) AS one LEFT JOIN ${place.names.table} AS states ON key = ANY($1::text[])`
  const rows = (await query(place, text, [keys])) as readonly Row[] // as the statement says
  return { nowUs: Number(rows[0]?.now_us), rows: new Map(rows.map((row) => [row.key, row])) }
}

/** null: it is written. */
async function write(
  place: Place,
  { keys, rows, writes }: { keys: readonly string[]; rows: Snapshot['rows']; writes: readonly StateWrite[] },
): Promise<string | null> {
  const values = [
    keys,
    keys.map((key) => rows.get(key)?.version ?? null),
    writes.map(({ key }) => key),
    writes.map(({ state }) => state),
    writes.map(({ ttlMs }) => ttlMs),
  ]
  try {
    const text = `SELECT ${place.names.write}($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[]) AS changed`
    const [row] = (await query(place, text, values)) as readonly { readonly changed: string | null }[] // as the function says
    return row?.changed ?? null
  } catch (error) {
    const [first] = keys
    if (first !== undefined && conflicts.includes(String(codeOf(error)))) return first
    throw error
  }
}

export async function query(place: Place, text: string, values: unknown[]): Promise<readonly unknown[]> {
  const { pool, names, statementMs } = place
  try {
    return (await pool.query({ text, values, query_timeout: statementMs })).rows
  } catch (error) {
    if (!missing.includes(String(codeOf(error)))) throw error
    const message = `there is no table ${names.table} with its function ${names.write}: call createTable(pool) once, or run the SQL that tableSql() answers`
    throw storeError('postgres', message, error)
  }
}
